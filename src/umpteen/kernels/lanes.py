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
_STILL = 1e-9  # changes not above this are none
ONE_ROUNDING = ("contract",)  # a product and a sum may become one instruction


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
            product = builder.fmul(builder.load(weights, align=4), value, flags=ONE_ROUNDING)
            builder.store(builder.fadd(builder.load(total), product, flags=ONE_ROUNDING), total)
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
            product = builder.fmul(step, value, flags=ONE_ROUNDING)
            builder.store(builder.fadd(builder.load(weights, align=4), product, flags=ONE_ROUNDING), weights, align=4)
        return context.get_dummy_value()

    return types.void(w, columns, values, types.int64, types.int64, by), generate


@intrinsic
def step_lanes(
    context: Any,
    dots: Any,
    bias: Any,
    alpha: Any,
    diagonal: Any,
    live: Any,
    limit: Any,
    high: Any,
    low: Any,
    by: Any,
    mask: Any,
    square: Any,
) -> Any:
    """A step of dual coordinate descent, squared hinge, for one document: what `kernels/solver.py` says of a lane.

    Changes alpha, bias, high and low, and fills `by` with what the weights change by. Returns 1 where a lane needs
    the document still, plus 2 where one moved.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        places = [
            builder.bitcast(context.make_array(kind)(context, builder, value).data, _VECTOR.as_pointer())
            for kind, value in zip(signature.args[:9], args[:9], strict=True)
        ]
        dot, shift, own, extra, alive, bound, top, bottom = (builder.load(place, align=4) for place in places[:8])
        zero, one = ir.Constant(_VECTOR, None), _same(1.0)
        positive = builder.bitcast(args[9], ir.VectorType(ir.IntType(1), LANES))
        sign = builder.select(positive, one, _same(-1.0))
        slope = builder.fsub(builder.fmul(sign, builder.fadd(dot, shift)), one)
        slope = builder.fadd(slope, builder.fmul(own, extra))
        held = builder.fcmp_ordered(">", own, zero)
        pushed = builder.select(held, slope, _less(builder, slope, zero))
        builder.store(_more(builder, top, pushed), places[6], align=4)
        builder.store(_less(builder, bottom, pushed), places[7], align=4)
        stays = builder.or_(held, builder.fcmp_ordered("<=", slope, bound))
        stays = builder.and_(stays, builder.fcmp_ordered(">", alive, zero))
        scale = builder.fdiv(one, builder.fadd(spread_lanes(builder, args[10], _VECTOR), extra))
        new = _more(builder, builder.fsub(own, builder.fmul(slope, scale)), zero)
        step = builder.fmul(builder.fsub(new, own), alive)
        builder.store(builder.fadd(own, step), places[2], align=4)
        change = builder.fmul(step, sign)
        builder.store(builder.fadd(shift, change), places[1], align=4)
        builder.store(change, places[8], align=4)
        moved = builder.or_(
            builder.fcmp_ordered(">", step, _same(_STILL)), builder.fcmp_ordered("<", step, _same(-_STILL))
        )
        needed, went = (_any(builder, lanes) for lanes in (stays, moved))
        return builder.or_(needed, builder.shl(went, ir.Constant(ir.IntType(64), 1)))

    arrays = (dots, bias, alpha, diagonal, live, limit, high, low, by)
    return types.int64(*arrays, types.uint16, types.float32), generate


@intrinsic
def sweep_lanes(context: Any, sums: Any, entries: Any, first: Any, count: Any, code: Any, step: Any, low: Any) -> Any:
    """sums[:n] += step * (entries[first : first + n] & code) + low, for `count` times sixteen numbers."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        total, packed = (context.make_array(signature.args[n])(context, builder, args[n]).data for n in range(2))
        whole = ir.VectorType(ir.IntType(signature.args[1].dtype.bitwidth), LANES)
        mask = spread_lanes(
            builder, builder.trunc(args[4], whole.element) if whole.element.width < 32 else args[4], whole
        )
        step, low = (spread_lanes(builder, args[n], _VECTOR) for n in (5, 6))
        begin = builder.gep(packed, [args[2]])
        width = ir.Constant(ir.IntType(64), LANES)
        with cgutils.for_range(builder, args[3], intp=ir.IntType(64)) as loop:
            at = builder.mul(loop.index, width)
            read = builder.load(builder.bitcast(builder.gep(begin, [at]), whole.as_pointer()), align=1)
            codes = builder.uitofp(builder.and_(read, mask), _VECTOR)
            value = builder.fadd(builder.fmul(codes, step, flags=ONE_ROUNDING), low, flags=ONE_ROUNDING)
            place = builder.bitcast(builder.gep(total, [at]), _VECTOR.as_pointer())
            builder.store(builder.fadd(builder.load(place, align=4), value, flags=ONE_ROUNDING), place, align=4)
        return context.get_dummy_value()

    return types.void(sums, entries, types.int64, types.int64, types.int32, types.float32, types.float32), generate


def _same(value: float) -> Any:
    """A constant in every lane."""
    return ir.Constant(_VECTOR, [value] * LANES)


def _more(builder: Any, one: Any, other: Any) -> Any:
    """The larger of two numbers in each lane."""
    return builder.select(builder.fcmp_ordered(">", other, one), other, one)


def _less(builder: Any, one: Any, other: Any) -> Any:
    """The smaller of two numbers in each lane."""
    return builder.select(builder.fcmp_ordered("<", other, one), other, one)


def _any(builder: Any, lanes: Any) -> Any:
    """1 where any lane is true, else 0."""
    found = builder.icmp_unsigned("!=", builder.bitcast(lanes, ir.IntType(LANES)), ir.Constant(ir.IntType(LANES), 0))
    return builder.zext(found, ir.IntType(64))


def spread_lanes(builder: Any, value: Any, vector: Any) -> Any:
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
        return builder.bitcast(address(j), _VECTOR.as_pointer()), spread_lanes(builder, value, _VECTOR)

    return row
