"""LSTM cells, sixteen at a time: what they and their states become when some documents each read one more word.

What the last states come to is computed with whole numbers of 16 bits: two products and their sum in one instruction,
twice as many as with 32 bits. Gates are vectors too, so nothing waits in memory between the sums and the new states.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from umpteen.kernels.lanes import LANES, ONE_ROUNDING, spread_lanes

GATES = 4  # input, forget, cell, output, as torch has them
LEVELS = 8192  # whole numbers between 0 and a state of 1

_WIDE = "+avx512bw" in cpu_target.target_context.codegen().magic_tuple()[2].split(",")
MANY, SOME = (6, 3) if _WIDE else (2, 2)  # documents whose sums fit into a processor's registers together

_PAIR = 2 * LANES
_SHORT, _INT, _LONG = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_FLOATS, _SUMS, _PAIRS = ir.VectorType(ir.FloatType(), LANES), ir.VectorType(_INT, LANES), ir.VectorType(_SHORT, _PAIR)
_LOG2E, _LN2 = 1.4426950408889634, 0.6931471805599453
_MOST = 30.0  # powers of two: gates are open or shut to the last digit there
_TERMS = 5  # of the series of 2**x between -1/2 and 1/2: the others come to some millionths


def _reading(documents: int) -> Any:
    @intrinsic
    def read(context: Any, arrays: Any, told: Any, tells: Any, padded: Any, block: Any, first: Any) -> Any:
        """Sixteen cells, those of a block, of so many documents from `first`.

        `arrays` are (weights, scales, given, rows, starts, memory, said). From starts[document] a document has `padded`
        places in `told`, where its last states are, in `tells` and `said`, where the new ones go, and in `memory`; its
        word brings what `given` holds from rows[document]. Weights, scales and what is given come in blocks of four
        gates.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def data(kind: Any, array: Any) -> Any:
                return context.make_array(kind)(context, builder, array).data

            parts = enumerate(signature.args[0])
            weights, scales, given, rows, begins, memory, said = (
                data(kind, builder.extract_value(args[0], number)) for number, kind in parts
            )
            last, new = data(signature.args[1], args[1]), data(signature.args[2], args[2])
            padded, block, first = args[3:]
            numbers = [builder.add(first, _long(number)) for number in range(documents)]
            starts = [builder.load(builder.gep(begins, [number])) for number in numbers]
            sums = _summed(builder, weights, builder.mul(block, padded), padded, last, starts)
            gates = [builder.mul(builder.add(builder.mul(block, _long(GATES)), _long(g)), _long(LANES)) for g in _ALL]
            scale = [_read(builder, scales, gate) for gate in gates]
            for number, start, own in zip(numbers, starts, sums, strict=True):
                row = builder.load(builder.gep(rows, [number]))
                brought = [_read(builder, given, builder.add(row, gate)) for gate in gates]
                whole = [_plus(builder, builder.sitofp(own[g], _FLOATS), scale[g], brought[g]) for g in _ALL]
                cell = builder.add(start, builder.mul(block, _long(LANES)))
                kept, state = _cell(builder, whole, _read(builder, memory, cell))
                level = _call(builder, "llvm.rint", builder.fmul(state, _same(LEVELS)))
                for array, vector in (
                    (memory, kept),
                    (said, state),
                    (new, builder.fptosi(level, ir.VectorType(_SHORT, LANES))),
                ):
                    builder.store(vector, _place(builder, array, cell, vector.type), align=2)
            return context.get_dummy_value()

        return types.void(arrays, told, tells, types.int64, types.int64, types.int64), generate

    return read


_ALL = range(GATES)
read_one, read_some, read_many = (_reading(documents) for documents in (1, SOME, MANY))


def _summed(builder: Any, weights: Any, begin: Any, padded: Any, told: Any, starts: list[Any]) -> list[list[Any]]:
    """Sums of products of last states and weights, for each document and gate.

    A single document's sums come in two halves, since each step of a sum has to wait for the one before.
    """
    halves = 2 if len(starts) == 1 else 1
    sums = [[[cgutils.alloca_once(builder, _SUMS) for _ in range(halves)] for _ in _ALL] for _ in starts]
    for place in (place for own in sums for gate in own for place in gate):
        builder.store(ir.Constant(_SUMS, None), place)
    begin = builder.mul(begin, _long(GATES * LANES))
    with cgutils.for_range(builder, builder.udiv(padded, _long(2 * halves)), intp=_LONG) as loop:
        for half in range(halves):
            pair = builder.add(builder.mul(loop.index, _long(halves)), _long(half))
            at = builder.add(begin, builder.mul(pair, _long(GATES * _PAIR)))
            columns = [_read(builder, weights, builder.add(at, _long(g * _PAIR)), _PAIRS) for g in _ALL]
            for own, start in zip(sums, starts, strict=True):
                place = _place(builder, told, builder.add(start, builder.mul(pair, _long(2))), _INT)
                both = builder.bitcast(spread_lanes(builder, builder.load(place, align=2), _SUMS), _PAIRS)
                for gate, column in zip(own, columns, strict=True):
                    builder.store(builder.add(builder.load(gate[half]), _products(builder, column, both)), gate[half])
    return [[_together(builder, [builder.load(place) for place in gate]) for gate in own] for own in sums]


def _together(builder: Any, parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else builder.add(*parts)


def _products(builder: Any, one: Any, other: Any) -> Any:
    """The sums of the products of neighbours."""
    if _WIDE:
        kind = ir.FunctionType(_SUMS, [_PAIRS, _PAIRS])
        name = "llvm.x86.avx512.pmaddw.d.512"
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [one, other])
    found = []
    for first in (0, 1):
        mask = ir.Constant(_SUMS, [first + 2 * lane for lane in range(LANES)])
        taken = (builder.shuffle_vector(pairs, ir.Constant(_PAIRS, ir.Undefined), mask) for pairs in (one, other))
        found.append(builder.mul(*(builder.sext(numbers, _SUMS) for numbers in taken)))
    return builder.add(*found)


def _cell(builder: Any, gates: list[Any], memory: Any) -> tuple[Any, Any]:
    """A cell's new memory and state: sigmoids and hyperbolic tangents over common denominators."""
    one = _same(1)
    enter, stay, leave = (_power(builder, gates[g], -_LOG2E) for g in (0, 1, 3))
    bring = _power(builder, gates[2], -2 * _LOG2E)
    stays = builder.fadd(one, stay)
    beside = builder.fmul(builder.fadd(one, enter), builder.fadd(one, bring))
    top = _plus(builder, memory, beside, builder.fmul(builder.fsub(one, bring), stays))
    kept = builder.fdiv(top, builder.fmul(beside, stays))
    shown = _power(builder, kept, -2 * _LOG2E)
    below = builder.fmul(builder.fadd(one, leave), builder.fadd(one, shown))
    return kept, builder.fdiv(builder.fsub(one, shown), below)


def _power(builder: Any, x: Any, factor: float) -> Any:
    """2 ** (x * factor), neither very small nor very large: a power of two, times a series for what is left."""
    y = builder.fmul(x, _same(factor))
    y = builder.select(builder.fcmp_ordered("<", y, _same(_MOST)), y, _same(_MOST))
    y = builder.select(builder.fcmp_ordered(">", y, _same(-_MOST)), y, _same(-_MOST))
    whole = _call(builder, "llvm.rint", y)
    left, term, terms = builder.fsub(y, whole), 1.0, [1.0]
    for number in range(1, _TERMS + 1):
        term *= _LN2 / number
        terms.append(term)
    total = _same(terms.pop())
    while terms:
        total = _plus(builder, total, left, _same(terms.pop()))
    exponent = builder.add(builder.fptosi(whole, _SUMS), ir.Constant(_SUMS, [127] * LANES))
    power = builder.bitcast(builder.shl(exponent, ir.Constant(_SUMS, [23] * LANES)), _FLOATS)
    return builder.fmul(total, power)


def _plus(builder: Any, one: Any, other: Any, more: Any) -> Any:
    """one * other + more."""
    return builder.fadd(builder.fmul(one, other, flags=ONE_ROUNDING), more, flags=ONE_ROUNDING)


def _call(builder: Any, name: str, x: Any) -> Any:
    kind = ir.FunctionType(_FLOATS, [_FLOATS])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"{name}.v{LANES}f32"), [x])


def _place(builder: Any, array: Any, at: Any, kind: Any) -> Any:
    return builder.bitcast(builder.gep(array, [at]), kind.as_pointer())


def _read(builder: Any, array: Any, at: Any, kind: Any = _FLOATS) -> Any:
    return builder.load(_place(builder, array, at, kind), align=2)


def _same(value: float) -> Any:
    return ir.Constant(_FLOATS, [float(value)] * LANES)


def _long(value: int) -> Any:
    return ir.Constant(_LONG, value)
