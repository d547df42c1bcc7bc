"""Counting bits with the processor's own instructions, for sets kept as words."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic as numba_intrinsic

from fogbound.core.compiled import Kernel, identity


def intrinsic(function: Kernel) -> Kernel:
    """An instruction for kernels, with an identity that lasts as theirs do."""
    made = numba_intrinsic(function)
    made._set_uuid(identity(function))
    return made  # type: ignore[no-any-return]


@intrinsic
def count_bits(typing_context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """The index of the lowest bit that is set (64 if there is none)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), generate
