"""Compiled functions that are optimized and turned into machine code once, together with all that they call.

When Numba compiles a function, it also optimizes again everything that the function calls: at every level of calls, all that lies below is
inlined, optimized and turned into machine code, even if Python never calls it. Here a function that is compiled because another calls it is
only a part: typed, lowered, and kept as LLVM bitcode of its own code. What Python calls is a whole: the parts that it reaches are linked
once, optimized once, and only it becomes machine code.

Everything here runs under Numba's lock for compiling.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import llvmlite.binding as llvm
from numba.core import bytecode, compiler, dispatcher, event, itanium_mangler, sigutils, types, typing, utils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.np import arrayobj

# Linkages of LLVM. A private function has no symbol, so even its arguments are optimized for its callers. With the linkage "internal" its
# symbol would be in the machine code, and the linker of Numba's engine, which does not tell such symbols from others, could let another
# module call it. The other linkage: the same wherever it is defined, and dropped where it is not used.
_PRIVATE, _SAME = "private", "linkonce_odr"
_ENVIRONMENT = "_ZN08NumbaEnv"
OWN = "react_env."  # modules whose functions never use a negative index, and are compiled without wraparound

# Numba counts the references to an array whenever it is sliced or passed on, by a call that the optimizer cannot see through: registers are
# written to memory before it and read back after it. If nothing is allocated and no array is returned, Python holds every array during the
# call, and nothing has to be counted. This is known only for a whole; until then, stand-ins take the place of Numba's counters.
_COUNTERS = {"NRT_incref": "react_env_incref", "NRT_decref": "react_env_decref"}
# All of Numba's runtime that code uses if it neither allocates nor returns an array: it takes arguments and releases them.
_TO_TAKE = {*_COUNTERS, "NRT_adapt_ndarray_from_python", "NRT_MemInfo_call_dtor", "NRT_Free"}


def _deferred(module: Any) -> Any:
    """The module with stand-ins for Numba's counters: whether references are counted is still open."""
    for function in module.functions:
        function.name = _COUNTERS.get(function.name, function.name)
    return module


def _settled(module: Any, counted: bool) -> None:
    """Define the stand-ins in a module: they count references, or do nothing."""
    lines = []
    for theirs, ours in _COUNTERS.items():
        call = f"call void @{theirs}(ptr %0)\n" if counted else ""
        lines += [f"declare void @{theirs}(ptr)", f"define void @{ours}(ptr %0) {{\n{call}ret void\n}}"]
    module.link_in(llvm.parse_assembly("\n".join(lines)))  # in place of Numba's own, which come with its functions
    for ours in _COUNTERS.values():
        module.get_function(ours).linkage = _SAME


def _allocates(module: Any) -> bool:
    """Whether a module may allocate an array, or return one."""
    return any(function.name.startswith("NRT_") and function.name not in _TO_TAKE for function in module.functions)


class _Library(JITCodeLibrary):
    """Code in which it is still open whether references are counted."""

    _linking_libraries: list[Any]

    def add_llvm_module(self, module: Any) -> None:
        self._optimize_functions(module)  # removes increments that are undone at once
        self._final_module.link_in(module if module.name == "wrapper" else _deferred(module))

    def link_others(self) -> None:
        """Link in the libraries that Numba alone compiles."""
        for library in dict.fromkeys(self._linking_libraries):
            if not isinstance(library, Part) and library is not rtsys.library:
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(_deferred(library._get_module_for_linking().clone()))


class Part(_Library):
    """The code of one function that others call, ready to be linked: its own code alone, not yet machine code."""

    file: str | None = None  # its file in the cache; without one, its callers cannot be cached either
    environment: Any = None  # kept alive for the code that links it
    _shared_module: Any

    def finalize(self) -> None:
        """Set the linkages. Nothing is optimized before all the code is there."""
        self._raise_if_finalized()
        own = {function.name for function in self._final_module.functions if not function.is_declaration}
        own.update(_COUNTERS.values())
        self.link_others()  # private, since the same name may mean another function elsewhere
        self._linking_libraries = [library for library in self._linking_libraries if isinstance(library, Part)]
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = _SAME if function.name in own else _PRIVATE
        self._finalize_dynamic_globals()
        self._finalized = True

    def own_module(self) -> Any:
        """Its code alone."""
        self._ensure_finalized()
        return self._final_module

    def _get_module_for_linking(self) -> Any:
        """Its code and that of all that it calls, for a caller that Numba alone compiles."""
        if self._shared_module is None:
            self._shared_module = self.own_module().clone()
            for part in reachable([self]):
                if part is not self:
                    self._shared_module.link_in(part.own_module(), preserve=True)
            _settled(self._shared_module, counted=True)
        return self._shared_module


class Whole(_Library):
    """The code of a function that Python calls, with all that it calls."""

    def finalize(self) -> None:
        """Link, optimize, and make machine code."""
        entries = {function.name for function in self._final_module.functions if not function.is_declaration}
        for part in reachable([library for library in self._linking_libraries if isinstance(library, Part)]):
            self._reload_init.update(part._reload_init)
            self._final_module.link_in(part.own_module(), preserve=True)
        self.link_others()
        _settled(self._final_module, counted=_allocates(self._final_module))
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in entries:
                function.linkage = _PRIVATE
        self._linking_libraries = [rtsys.library]
        super().finalize()


def reachable(parts: list[Part]) -> list[Part]:
    """These parts and all that they call, each once."""
    found: dict[Part, None] = {}
    waiting = list(parts)
    while waiting:
        part = waiting.pop()
        if part not in found:
            found[part] = None
            part._ensure_finalized()
            waiting += part._linking_libraries
    return list(found)


class _Pipeline(compiler.Compiler):
    """Numba's compiler, except that a function's symbol is made from its identity, and so is the same in every process."""

    identity = ""

    def compile_extra(self, func: Any) -> Any:
        self.state.func_id = bytecode.FunctionIdentity.from_function(func)
        if self.identity:
            self.state.func_id.unique_id = self.identity
            self.state.func_id.unique_name = f"{func.__qualname__}${self.identity}"
        compiler.ExtractByteCode().run_pass(self.state)
        self.state.lifted = ()
        self.state.lifted_from = None
        return self._compile_bytecode()


def _mangler(name: str, argtypes: Any, *, abi_tags: Any = (), uid: Any = None) -> Any:
    """The symbol of a function. Types are left to the identity (see `_Pipeline`), as Numba numbers them differently in each process."""
    if isinstance(uid, str):
        return itanium_mangler.mangle(name, (), uid=uid)
    return itanium_mangler.mangle(name, argtypes, abi_tags=abi_tags, uid=uid)


_fix_integer_index = arrayobj.fix_integer_index


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Numba's conversion of an integer to an index, without wraparound if the context says so.

    The optimizer cannot know that an index from a record is not negative. `tests/engine/test_bounds.py` plays with every index
    checked.
    """
    if not getattr(context, "wraparound", True):
        return context.cast(builder, index, kind, types.intp)
    return _fix_integer_index(context, builder, kind, index, size)


arrayobj.fix_integer_index = _index


@lru_cache(maxsize=2)
def _context(context: Any, wraparound: bool) -> Any:
    """Numba's context with the symbols of `_mangler`. `wraparound`: a negative index counts from the end."""
    context.refresh()
    ours = context.subtarget(mangler=_mangler, cached_internal_func={})
    ours.wraparound = wraparound
    return ours


class _Compiler(dispatcher._FunctionCompiler):
    """Compiles one function, as a part or a whole."""

    part = False
    identity = ""
    wraparound = True
    noalias = False

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = self.part
        flags.noalias = self.noalias
        context = _context(self.targetdescr.target_context, self.wraparound)
        library = (Part if self.part else Whole)(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        pipeline = type("_Pipeline", (_Pipeline,), {"identity": self.identity})
        result = compiler.compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=self.locals,
            library=library,
            pipeline_class=pipeline,
        )
        if self.part:
            library.environment = result.environment
        return result


def _wide(given: Any) -> Any:
    """int64 for every signed integer: a version for each width of each argument would take long to compile, and be no faster."""
    given = types.unliteral(given)
    return types.int64 if isinstance(given, types.Integer) and given.signed else given


class Function(CPUDispatcher):
    """A function that is compiled when it is called: as a part if compiled code calls it, as a whole if Python does.

    `store` keeps and finds what was compiled; see `react_env.engine.compile.Store`. `overloads` holds the wholes, `parts` the parts. Which
    was asked for first makes no difference.
    """

    def __init__(self, py_func: Callable[..., Any], store: Any, noalias: bool = False, **options: Any) -> None:
        self.parts: dict[tuple[Any, ...], Any] = {}
        super().__init__(py_func, targetoptions={"nopython": True, **options})
        self._compiler = _Compiler(py_func, self.targetdescr, self.targetoptions, {}, compiler.Compiler)
        self._compiler.wraparound = not py_func.__module__.startswith(OWN)
        self._compiler.noalias = noalias
        self._store = store

    def compile(self, sig: Any) -> Any:
        """The entry point for calls from Python with arguments of these types."""
        args, return_type = sigutils.normalize_signature(sig)
        return self._compiled(tuple(args), return_type, False).entry_point

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Numba asks this where compiled code calls the function. One compiled version serves integers of every width."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        folded = tuple(_wide(given) for given in folded)
        part = self._compiled(folded, None, True)
        name = self.py_func.__name__
        template = typing.make_concrete_template(name, key=name, signatures=[part.signature])
        return template, signature, folded, {}

    def get_overload(self, sig: Any) -> Any:
        """The key by which Numba finds the function that compiled code calls."""
        args, _ = sigutils.normalize_signature(sig)
        return self.parts[tuple(args)].entry_point

    def _compiled(self, args: tuple[Any, ...], return_type: Any, part: bool) -> Any:
        """The result for these types: compiled before, in this or another process, or compiled now."""
        with global_compiler_lock:
            if args in (known := self.parts if part else self.overloads):
                return known[args]
            if not self._can_compile:
                raise RuntimeError("compilation disabled")
            identity = self._identity(args)
            found = self._load(identity, part)
            if found is not None:
                self._cache_hits[args] += 1
            else:
                self._cache_misses[args] += 1
                data = {"dispatcher": self, "args": args, "return_type": return_type}
                with self._compiling_counter, event.trigger_event("numba:compile", data):
                    found = self._make(args, return_type, identity, part)
                    self._save(identity, part, found)
            if part:
                found = found._replace(entry_point=object())
                self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
                self.parts[args] = found
            else:
                self.add_overload(found)
            return found

    def _make_finalizer(self) -> Callable[[], None]:
        """What Numba calls when this object is collected: the context then forgets the entry points."""
        finalizer: Callable[[], None] = super()._make_finalizer()
        parts, context = self.parts, self.targetctx

        def forget() -> None:
            finalizer()
            if not utils.shutting_down():
                for part in parts.values():
                    context.remove_user_function(part.entry_point)

        return forget

    def _make(self, args: Any, return_type: Any, identity: str, part: bool) -> Any:
        self._compiler.part, self._compiler.identity = part, identity
        made = self._compiler.compile(args, return_type)
        if not part:
            for name in (variable.name for variable in made.library._final_module.global_variables):
                if name.startswith(_ENVIRONMENT) and (environment := lookup_environment(name)) is not None:
                    made.library.codegen.set_env(name, environment)
                    _ENVIRONMENTS.add(environment)
        return made

    def is_kept(self, argtypes: tuple[Any, ...]) -> bool:
        """Whether the version for calls from Python with these types is in the cache."""
        identity = self._identity(argtypes)
        return bool(identity) and bool(self._store.has(self._file(identity, False)))

    def _identity(self, args: tuple[Any, ...]) -> str:
        """The identity of the code for these types; "" if it has none."""
        found: str = self._store.identity(self.py_func, args)
        return found and found + self.marks

    @property
    def marks(self) -> str:
        """Letters for the way in which it is compiled, which an identity needs besides the source."""
        return "n" * (not self._compiler.wraparound) + "a" * self._compiler.noalias

    # -- the cache ---------------------------------------------------------------------------------------------------------------

    def _load(self, identity: str, part: bool) -> Any:
        """What was compiled before, in this or another process; None if it is not there or cannot be read."""
        if not identity:
            return None
        self.targetctx.refresh()
        try:
            if part:
                return _load_part(self._store, self._file(identity, part), self.targetctx)
            data = self._store.read(self._file(identity, part))
            whole = compiler.CompileResult._rebuild(self.targetctx, *pickle.loads(data))
        except Exception:  # whatever is wrong with the file, it can be compiled
            return None
        _ENVIRONMENTS.update((whole.environment, *whole.referenced_envs))
        return whole

    def _save(self, identity: str, part: bool, made: Any) -> None:
        library = made.library
        if not identity or library.has_dynamic_globals or any(not lifted.can_cache for lifted in made.lifted):
            return
        file = self._file(identity, part)
        if not part:
            self._store.write(file, dumps(made._reduce()))
            return
        links = [callee.file for callee in library._linking_libraries]
        if None in links:
            return
        made.fndesc.typemap = made.fndesc.calltypes = None
        code = library.own_module().as_bitcode()
        library.file = file
        _PARTS[file] = made
        again = tuple(library._reload_init)
        self._store.write(file, dumps((links, code, made.fndesc, made.environment, made.signature, again)))

    def _file(self, identity: str, part: bool) -> str:
        machine = hashlib.sha256(repr(self.targetctx.codegen().magic_tuple()).encode()).hexdigest()[:8]
        name = self.py_func.__qualname__.rpartition(">.")[2]
        return f"{name}-{identity}-{machine}.{'part' if part else 'whole'}"


_PARTS: dict[str, Any] = {}  # file -> the part in it
_ENVIRONMENTS: set[Any] = set()  # kept alive: functions of one identity share one, whichever is collected first


def _load_part(store: Any, file: str, context: Any) -> Any:
    """A part, with all parts that it calls. Raises any exception if one of them is missing."""
    if file in _PARTS:
        return _PARTS[file]
    links, code, description, environment, signature, again = pickle.loads(store.read(file))
    for function in again:
        function()
    library = Part(context.codegen(), description.qualname)
    library._final_module = llvm.parse_bitcode(code)
    library._linking_libraries = [_load_part(store, link, context).library for link in links]
    library._reload_init.update(again)
    library._finalized = True
    library.file, library.environment = file, environment
    _PARTS[file] = compiler.compile_result(
        typing_context=context.typing_context,
        target_context=context,
        entry_point=None,
        typing_error=None,
        type_annotation=None,
        library=library,
        call_helper=None,
        signature=signature,
        objectmode=False,
        lifted=(),
        fndesc=description,
        environment=environment,
        metadata={},
        reload_init=list(again),
    )
    return _PARTS[file]
