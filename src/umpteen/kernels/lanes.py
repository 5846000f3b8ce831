"""Sixteen numbers at a time: loops over a sparse row in which each step reads or changes sixteen neighbouring weights.

Written as LLVM vectors, which become whatever the machine has (AVX-512, AVX2, NEON); a plain loop over sixteen numbers
would keep its sums in memory and take three times as long.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16

_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_ONE_ROUNDING = ("contract",)  # a product and a sum may become one instruction


@intrinsic
def dot_lanes(context: Any, w: Any, columns: Any, values: Any, start: Any, end: Any, out: Any) -> Any:
    """out[:] = sum of values[j] * w[columns[j], :] for j from `start` to `end`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row = _rows(context, builder, signature, args)
        total = cgutils.alloca_once(builder, _VECTOR)
        builder.store(ir.Constant(_VECTOR, None), total)
        with cgutils.for_range_slice(builder, args[3], args[4], ir.Constant(ir.IntType(64), 1), ir.IntType(64)) as (
            j,
            _,
        ):
            weights, value = row(j)
            product = builder.fmul(builder.load(weights, align=4), value, flags=_ONE_ROUNDING)
            builder.store(builder.fadd(builder.load(total), product, flags=_ONE_ROUNDING), total)
        answer = context.make_array(signature.args[5])(context, builder, args[5]).data
        builder.store(builder.load(total), builder.bitcast(answer, _VECTOR.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(w, columns, values, types.int64, types.int64, out), generate


@intrinsic
def add_lanes(context: Any, w: Any, columns: Any, values: Any, start: Any, end: Any, by: Any) -> Any:
    """w[columns[j], :] += values[j] * by[:] for j from `start` to `end`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row = _rows(context, builder, signature, args)
        source = context.make_array(signature.args[5])(context, builder, args[5]).data
        step = builder.load(builder.bitcast(source, _VECTOR.as_pointer()), align=4)
        with cgutils.for_range_slice(builder, args[3], args[4], ir.Constant(ir.IntType(64), 1), ir.IntType(64)) as (
            j,
            _,
        ):
            weights, value = row(j)
            product = builder.fmul(step, value, flags=_ONE_ROUNDING)
            builder.store(builder.fadd(builder.load(weights, align=4), product, flags=_ONE_ROUNDING), weights, align=4)
        return context.get_dummy_value()

    return types.void(w, columns, values, types.int64, types.int64, by), generate


@intrinsic
def sweep_lanes(context: Any, sums: Any, entries: Any, first: Any, count: Any, code: Any, step: Any, low: Any) -> Any:
    """sums[:n] += step * (entries[first : first + n] & code) + low, for `count` times sixteen numbers."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        total, packed = (context.make_array(signature.args[n])(context, builder, args[n]).data for n in range(2))
        whole = ir.VectorType(ir.IntType(signature.args[1].dtype.bitwidth), LANES)
        mask = _spread(builder, builder.trunc(args[4], whole.element) if whole.element.width < 32 else args[4], whole)
        step, low = (_spread(builder, args[n], _VECTOR) for n in (5, 6))
        begin = builder.gep(packed, [args[2]])
        width = ir.Constant(ir.IntType(64), LANES)
        with cgutils.for_range(builder, args[3], intp=ir.IntType(64)) as loop:
            at = builder.mul(loop.index, width)
            read = builder.load(builder.bitcast(builder.gep(begin, [at]), whole.as_pointer()), align=1)
            codes = builder.uitofp(builder.and_(read, mask), _VECTOR)
            value = builder.fadd(builder.fmul(codes, step, flags=_ONE_ROUNDING), low, flags=_ONE_ROUNDING)
            place = builder.bitcast(builder.gep(total, [at]), _VECTOR.as_pointer())
            builder.store(builder.fadd(builder.load(place, align=4), value, flags=_ONE_ROUNDING), place, align=4)
        return context.get_dummy_value()

    return types.void(sums, entries, types.int64, types.int64, types.int32, types.float32, types.float32), generate


def _spread(builder: Any, value: Any, vector: Any) -> Any:
    """A value in every lane."""
    single = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
    return builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), mask)


def _rows(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """A function from an entry's place to (address of its sixteen weights, its value sixteen times)."""
    w, columns, values = (context.make_array(signature.args[n])(context, builder, args[n]).data for n in range(3))
    width = ir.Constant(ir.IntType(64), LANES)

    def address(j: Any) -> Any:
        column = builder.sext(builder.load(builder.gep(columns, [j])), ir.IntType(64))
        return builder.gep(w, [builder.mul(column, width)])

    def row(j: Any) -> tuple[Any, Any]:
        value = builder.load(builder.gep(values, [j]))
        return builder.bitcast(address(j), _VECTOR.as_pointer()), _spread(builder, value, _VECTOR)

    return row
