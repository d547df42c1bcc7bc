"""Compiling a kernel for its callers: what only other kernels call is typed and lowered, and made machine code with them.

Numba makes machine code of every function that it meets, with wrappers to call it from Python, although most kernels
are inlined into programs and never called from there. Here each kernel has two forms: `_Callable` is what Python calls,
`_Callee` is what other compiled functions call, LLVM's code and nothing more. It is kept on disk like the other form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import caching, codegen, compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from fogbound.core.alone import alone

NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def callable_kernel(function: Callable[..., Any], identity: str, options: dict[str, Any]) -> Any:
    """A function compiled when it is first called, from Python or from another compiled function."""
    made = _Callable(function, targetoptions={**options, "no_cfunc_wrapper": True})
    made.enable_caching()
    made._set_uuid(identity)
    made.callee = _Callee(function, targetoptions={**options, **NO_WRAPPERS}, pipeline_class=_Compiler)
    made.callee._set_uuid(f"{identity}-callee")
    made.callee._cache = _CalleeCache(function)
    return made


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into that of its callers: it never becomes machine code of its own."""

    def _optimize_final_module(self) -> None:
        """Its callers' code is optimized with all that is inlined in it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Compiler(compiler.Compiler):  # type: ignore[misc]
    def __init__(self, typing: Any, target: Any, _library: None, *rest: Any) -> None:
        rest[2].no_compile = True
        super().__init__(typing, target, _Library(target.codegen(), "callee"), *rest)


class _Form(CPUDispatcher):  # type: ignore[misc]
    """What two processes need at the same time, one of them compiles."""

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock, alone(self._cache.cache_path, f"{self._uuid} {sig}"):
            return super().compile(sig)


class _Callee(_Form):
    """The form that compiled functions call."""

    def add_overload(self, found: Any) -> None:
        """What was compiled has no entry for Python: any object of its own stands for it."""
        found = found._replace(entry_point=object())
        self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
        self.overloads[tuple(found.signature.args)] = found


class _Callable(_Form):
    """The form that Python calls; a compiled function that calls it is given the other one."""

    callee: _Callee

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.callee.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.callee.get_overload(sig)

    @property
    def is_compiling(self) -> Any:
        return self.callee.is_compiling


class _CalleeFiles(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """How a callee is kept on disk: as LLVM's bitcode."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"callee-{super().get_filename_base(fullname, abiflags)}"

    def reduce(self, found: Any) -> tuple[Any, ...]:
        found.fndesc.typemap = found.fndesc.calltypes = None
        code = found.library._final_module.as_bitcode()
        return code, found.fndesc, found.environment, found.signature, tuple(found._find_referenced_environments())

    def rebuild(self, target: Any, kept: tuple[Any, ...]) -> Any:
        code, fndesc, environment, signature, environments = kept
        library = _Library(target.codegen(), "callee")
        library._final_module = codegen.ll.parse_bitcode(code)
        library._finalized = True
        return compiler.compile_result(
            target_context=target,
            typing_context=target.typing_context,
            library=library,
            environment=environment,
            fndesc=fndesc,
            signature=signature,
            objectmode=False,
            lifted=(),
            referenced_envs=environments,
        )


class _CalleeCache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _CalleeFiles
