"""Compiling a kernel for its callers: what only other kernels call is typed and lowered, and made machine code with them.

Numba makes machine code of every function that it meets, with wrappers to call it from Python, although most kernels
are inlined into programs and never called from there. Here each kernel has two forms: `_Callable` is what Python calls,
`_Callee` is what other compiled functions call: LLVM's code and nothing more. Only a kernel that is declared a part
becomes machine code of its own, once, and all its callers refer to it by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numba.core import bytecode, caching, codegen, compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral

from fogbound.core.alone import alone
from fogbound.core.kernel_cache import KernelCache, described, digest

NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
Parts = dict[str, bytes | None]
"""Machine code of functions, by name, each after those that it calls; None for code that only this process can run."""


def callable_kernel(function: Callable[..., Any], identity: str, options: dict[str, Any], apart: bool) -> Any:
    """A function compiled when it is first called, from Python or from another compiled function.

    `apart`: for other compiled functions it is machine code of its own, not a piece of theirs.
    """
    made = _Callable(function, targetoptions={**options, "no_cfunc_wrapper": True})
    made._cache = _CallableCache(function, identity)
    made._set_uuid(identity)
    pipeline = partial(_Compiler, identity, _Part if apart else _Inlined)
    made.callee = _Callee(function, targetoptions={**options, **NO_WRAPPERS}, pipeline_class=pipeline)
    made.callee._set_uuid(f"{identity}-callee")
    made.callee._cache = _CalleeCache(function, f"{identity}-callee")
    return made


class _Inlined(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into that of its callers: it never becomes machine code of its own."""

    parts: Parts

    def _optimize_final_module(self) -> None:
        """Its callers' code is optimized with all that is inlined in it."""

    def _finalize_final_module(self) -> None:
        self.parts = _parts_under(self)
        self._finalize_dynamic_globals()
        self._finalized = True


class _Part(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Machine code that callers find by its name; they link nothing of it."""

    parts: Parts

    def _finalize_final_module(self) -> None:
        name = next(each.name for each in self._final_module.functions if _is_own(each))
        self.enable_object_caching()
        super()._finalize_final_module()
        _loaded[name] = self
        self.parts = {**_parts_under(self), name: None if self._dynamic_globals else self._get_compiled_object()}

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()
        return codegen.ll.parse_assembly(str(self._codegen._create_empty_module(self.name)))


_loaded: dict[str, Any] = {}  # the libraries of all parts in this process


def _is_own(function: Any) -> bool:
    return not function.is_declaration and function.linkage == codegen.ll.Linkage.external


def _parts_under(library: Any) -> Parts:
    """The parts that the code of a library calls, directly or not."""
    found: Parts = {}
    for linked in library._linking_libraries:
        found |= getattr(linked, "parts", {})
    return found


def _load(target: Any, parts: Parts) -> None:
    """Make parts known to this process, unless they are."""
    for name, code in parts.items():
        if name not in _loaded and code is not None:
            _loaded[name] = _from_machine_code(target, name, code, [name])


def _from_machine_code(target: Any, name: str, code: bytes, defined: list[str]) -> Any:
    library = target.codegen().create_library(name)
    library.enable_object_caching()
    library._set_compiled_object(code)
    library._finalize_final_module()
    library._codegen._engine._defined_symbols.update(defined)
    return library


class _Compiler(compiler.Compiler):  # type: ignore[misc]
    def __init__(
        self, identity: str, library: type, typing: Any, target: Any, _library: None, args: Any, *rest: Any
    ) -> None:
        rest[1].no_compile = True
        super().__init__(typing, target, library(target.codegen(), "callee"), args, *rest)
        self.name = digest(identity, *map(described, args))[:24]

    def compile_extra(self, func: Any) -> Any:
        """As Numba does it, but the function's name in the code is the same in every process."""
        named = self.state.func_id = bytecode.FunctionIdentity.from_function(func)
        named.unique_id, named.unique_name = self.name, f"{named.func_qualname}${self.name}"
        compiler.ExtractByteCode().run_pass(self.state)
        self.state.lifted, self.state.lifted_from = (), None
        return self._compile_bytecode()


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
        """A constant is typed like any other number: Numba would compile a kernel anew for each, and LLVM sees it anyway."""
        plain = {name: unliteral(each) for name, each in kws.items()}
        return self.callee.get_call_template(tuple(map(unliteral, args)), plain)

    def get_overload(self, sig: Any) -> Any:
        return self.callee.get_overload(sig)

    @property
    def is_compiling(self) -> Any:
        return self.callee.is_compiling


class _Files(caching.CompileResultCacheImpl):  # type: ignore[misc]
    def check_cachable(self, found: Any) -> bool:
        return super().check_cachable(found) and None not in _parts_under(found.library).values()


class _CallableFiles(_Files):
    """How what Python calls is kept on disk: as machine code, with the parts that it calls."""

    def reduce(self, found: Any) -> tuple[Any, ...]:
        found.fndesc.typemap = found.fndesc.calltypes = None
        library = found.library
        defined = [each.name for each in library._final_module.functions if not each.is_declaration]
        code = library.name, library._get_compiled_object(), defined, _parts_under(library)
        environments = tuple(found._find_referenced_environments())
        return code, found.fndesc, found.environment, found.signature, found.reload_init, environments

    def rebuild(self, target: Any, kept: tuple[Any, ...]) -> Any:
        (name, code, defined, parts), fndesc, environment, signature, reload_init, environments = kept
        for begin in reload_init:
            begin()
        _load(target, parts)
        library = _from_machine_code(target, name, code, defined)
        for each in environments:
            target.codegen().set_env(each.env_name, each)
        entry = target.get_executable(library, fndesc, environment)
        return _result(target, library, environment, fndesc, signature, environments, entry)


class _CallableCache(KernelCache):
    _impl_class = _CallableFiles


class _CalleeFiles(_Files):
    """How a callee is kept on disk: as LLVM's bitcode, if it is inlined, and the parts."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"callee-{super().get_filename_base(fullname, abiflags)}"

    def reduce(self, found: Any) -> tuple[Any, ...]:
        found.fndesc.typemap = found.fndesc.calltypes = None
        library = found.library
        code = library._final_module.as_bitcode() if isinstance(library, _Inlined) else None
        environments = tuple(found._find_referenced_environments())
        return code, library.parts, found.fndesc, found.environment, found.signature, environments

    def rebuild(self, target: Any, kept: tuple[Any, ...]) -> Any:
        code, parts, fndesc, environment, signature, environments = kept
        _load(target, parts)
        library = (_Part if code is None else _Inlined)(target.codegen(), "callee")
        if code is not None:
            library._final_module = codegen.ll.parse_bitcode(code)
        library.parts, library._finalized = parts, True
        return _result(target, library, environment, fndesc, signature, environments)


class _CalleeCache(KernelCache):
    _impl_class = _CalleeFiles


def _result(
    target: Any,
    library: Any,
    environment: Any,
    fndesc: Any,
    signature: Any,
    environments: tuple[Any, ...],
    entry: Any = None,
) -> Any:
    return compiler.compile_result(
        target_context=target,
        typing_context=target.typing_context,
        library=library,
        environment=environment,
        entry_point=entry,
        fndesc=fndesc,
        signature=signature,
        objectmode=False,
        lifted=(),
        referenced_envs=environments,
    )
