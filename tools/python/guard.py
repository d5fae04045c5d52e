# Copyright The toolscope Authors
# SPDX-License-Identifier: Apache-2.0

# The guard reads a job from its input, refuses programs that ask for what their level
# does not allow, and runs the others. It runs within the walls that the host could build;
# what it does by itself makes escapes hard, and the walls make them worthless.
#
# Job:    {"code", "guarded", "modules", "forbidden", "limits": {name: number}}
# Report: JSON on file 3: {"refused": [text, ...]}, or {"started": true} for what was run or
#         is no Python.


def main():
    import json
    import os
    import sys

    job = json.loads(sys.stdin.buffer.read())
    report = os.fdopen(3, "w", encoding="utf-8")

    def tell(**what):
        report.write(json.dumps(what))
        report.close()

    def end(code):
        for stream in (sys.__stdout__, sys.__stderr__):
            try:
                stream.flush()
            except Exception:
                pass
        os._exit(code)

    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    set_limits(job["limits"])

    import linecache
    import traceback

    code = job["code"]
    name = "<program>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    try:
        tree = parse(code, name)
        if job["guarded"]:
            check(tree, frozenset(job["modules"]), frozenset(job["forbidden"]))
    except Refused as refusal:
        tell(refused=refusal.args[0])
        return end(0)
    except Broken as problem:
        tell(started=True)
        sys.stderr.write("%s\n" % problem)
        return end(1)

    # The program must not find the guard by its own name.
    import builtins

    stage = sys.modules["__main__"] = type(sys)("__main__")
    space = vars(stage)
    space["__builtins__"] = builtins
    try:
        if job["guarded"]:
            space = {"__name__": "__main__"}
            space["__builtins__"] = names(build(tree, frozenset(job["modules"])), frozenset(job["forbidden"]))
            tree = guarded(tree)
        program = compile(tree, name, "exec", dont_inherit=True)
    except Refused as refusal:
        tell(refused=refusal.args[0])
        return end(0)
    except (RecursionError, MemoryError, SyntaxError, ValueError) as problem:
        tell(started=True)
        sys.stderr.write("%s: %s\n" % (type(problem).__name__, problem))
        return end(1)

    tell(started=True)
    stderr, show, exc_info, leave = sys.__stderr__, traceback.TracebackException, sys.exc_info, SystemExit
    if job["guarded"]:
        try:
            raise RuntimeError  # what shows an exception is loaded now
        except RuntimeError:
            "".join(show(*exc_info()).format())
        watch(program)
    try:
        exec(program, space)
    except leave as asked:
        code = asked.code
        if code is None or type(code) is int:
            return end((code or 0) & 255)
        stderr.write("%s\n" % (code,))
        return end(1)
    except BaseException:
        kind, value, trace = exc_info()
        try:
            # The first entry is the guard's own.
            for line in show(kind, value, trace.tb_next if trace else None, limit=-20).format():
                stderr.write(line)
        except BaseException:
            stderr.write("the program ended by an exception that could not be shown\n")
        return end(1)
    return end(0)


class Refused(Exception):
    """What a program asks for that it may not have, as a list of texts."""


class Broken(Exception):
    """Why a program is no Python."""


def set_limits(limits):
    try:
        import resource
    except ImportError:
        return
    for name, number in limits.items():
        which = getattr(resource, "RLIMIT_" + name, None)
        if which is None:
            continue
        try:
            resource.setrlimit(which, (number, number))
        except (ValueError, OSError):
            pass  # the host set a lower one


# ---- what a program may say ----

# Names that begin with two underscores and may be read from an object.
READABLE = frozenset(
    "__%s__" % n
    for n in (
        "name doc init new post_init call len iter next reversed contains getitem setitem delitem enter exit eq ne lt le gt ge hash bool "
        "int float index complex str repr abs neg pos invert add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift radd "
        "rsub rmul rtruediv rfloordiv rmod rpow rand ror rxor iadd isub imul itruediv ifloordiv imod ior iand ixor round trunc floor ceil "
        "length_hint init_subclass set_name missing copy deepcopy qualname"
    ).split()
)
# Names of this kind that a class may define as well.
DEFINABLE = READABLE | frozenset(
    "__%s__" % n
    for n in "slots match_args getattr setattr delattr get set delete class_getitem format bytes del aenter aexit aiter anext await dir rlshift rrshift rdivmod rmatmul imatmul ilshift irshift ipow".split()
)
# And those that a program may set as an attribute.
SETTABLE = frozenset(["__name__", "__qualname__", "__doc__"])
# Names with one underscore that belong to what the library documents.
KNOWN = frozenset(["_asdict", "_replace", "_fields", "_make", "_field_defaults", "_missing_", "_generate_next_value_", "_value_", "_name_", "_ignore_", "_order_"])
# Attributes by which frames, code and what is global are reached.
FRAMES = ("gi_", "cr_", "ag_", "f_back", "f_builtins", "f_code", "f_globals", "f_locals", "f_trace", "f_generator", "tb_", "co_", "func_")

# Public attributes that are not simply read.
SPECIAL = ("format", "format_map", "evaluate")

STATEMENTS = (
    "Module Expr Assign AugAssign AnnAssign Delete Pass Return If For While Break Continue With Raise Try TryStar Assert Import ImportFrom Global "
    "Nonlocal FunctionDef AsyncFunctionDef ClassDef AsyncFor AsyncWith Match match_case withitem ExceptHandler alias TypeAlias TypeVar ParamSpec TypeVarTuple"
)
EXPRESSIONS = (
    "BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict Set ListComp SetComp DictComp GeneratorExp Await Yield YieldFrom Compare Call FormattedValue "
    "JoinedStr Constant Attribute Subscript Starred Name List Tuple Slice Index ExtSlice comprehension arguments arg keyword Load Store Del And Or Add "
    "Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn "
    "MatchValue MatchSingleton MatchSequence MatchMapping MatchClass MatchStar MatchAs MatchOr"
)
ALLOWED = frozenset((STATEMENTS + " " + EXPRESSIONS).split())


def dunder(name):
    return name.startswith("__") and name.endswith("__")


def parse(code, name):
    import ast

    try:
        return ast.parse(code, name)
    except SyntaxError as problem:
        text = (problem.text or "").rstrip()
        raise Broken('  File "<program>", line %s\n    %s\n%s: %s' % (problem.lineno, text[:200], type(problem).__name__, problem.msg)) from None
    except (RecursionError, MemoryError, ValueError) as problem:
        raise Broken("the program cannot be read: %s: it is nested too deeply, or no text" % type(problem).__name__) from None


def check(tree, modules, forbidden):
    """Refuses a program by its text alone."""
    import ast

    problems = {}

    def refuse(node, text):
        problems.setdefault("line %d: %s" % (getattr(node, "lineno", 0), text), None)

    bound = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])

    def importable(node, name):
        if name not in modules:
            refuse(node, "import of %s, which is none of the modules allowed" % name)

    for node in ast.walk(tree):
        kind = type(node).__name__
        if kind not in ALLOWED:
            refuse(node, "%s, which is not allowed" % kind)
        elif kind == "Import":
            for a in node.names:
                importable(node, a.name)
        elif kind == "ImportFrom":
            if node.level:
                refuse(node, "a relative import")
            else:
                for a in node.names:
                    if a.name.startswith("_"):
                        refuse(node, "import of %s" % a.name)
                if not all("%s.%s" % (node.module, a.name) in modules for a in node.names):
                    importable(node, node.module)
        elif kind == "Attribute":
            name, reads = node.attr, isinstance(node.ctx, ast.Load)
            if name.startswith(FRAMES) or dunder(name) and name not in (READABLE if reads else SETTABLE):
                refuse(node, "attribute %s" % name)
        elif kind == "Name":
            if dunder(node.id):
                if isinstance(node.ctx, ast.Load) and node.id not in ("__name__", "__debug__") or not isinstance(node.ctx, ast.Load) and node.id not in DEFINABLE:
                    refuse(node, "name %s" % node.id)
            elif node.id in forbidden and node.id not in bound:
                refuse(node, "%s is forbidden" % node.id)
        elif kind == "MatchValue":
            # A pattern stays as it is written, since it may not hold a call.
            for part in ast.walk(node):
                if isinstance(part, ast.Attribute) and (part.attr.startswith("_") or part.attr == "obj"):
                    refuse(node, "attribute %s in a pattern" % part.attr)
        elif kind == "MatchClass":
            if node.patterns or node.kwd_patterns:
                refuse(node, "a class pattern that looks into the object: write case %s() and use its attributes" % getattr(node.cls, "id", "Class"))
        elif kind in ("FunctionDef", "AsyncFunctionDef"):
            if dunder(node.name) and node.name not in DEFINABLE:
                refuse(node, "definition of %s" % node.name)
        else:
            for field, value in ast.iter_fields(node):
                if kind == "Constant" or field == "type_comment":
                    continue
                for text in value if isinstance(value, list) else [value]:
                    if isinstance(text, str) and dunder(text):
                        refuse(node, "name %s" % text)
    if problems:
        raise Refused(list(problems)[:10])


def guarded(tree):
    """Makes every reading of an attribute a call of the guard's function."""
    import ast

    class Guarded(ast.NodeTransformer):
        owner = ""

        def visit_ClassDef(self, node):
            # Decorators, bases and the like belong to what is around the class.
            node.decorator_list = [self.visit(d) for d in node.decorator_list]
            node.bases = [self.visit(b) for b in node.bases]
            node.keywords = [self.visit(k) for k in node.keywords]
            outer, self.owner = self.owner, node.name.lstrip("_")
            node.body = self.statements(node.body)
            self.owner = outer
            return node

        def statements(self, body):
            made = []
            for statement in body:
                visited = self.visit(statement)
                made.extend(visited if isinstance(visited, list) else [visited])
            return made

        def visit_Attribute(self, node):
            self.generic_visit(node)
            if not isinstance(node.ctx, ast.Load):
                return node
            name = self.mangled(node.attr)
            reader = "__attribute__" if name.startswith("_") or name in SPECIAL else "__read__"
            call = ast.Call(ast.Name(reader, ast.Load()), [node.value, ast.Constant(name)], [])
            return ast.copy_location(call, node)

        def mangled(self, name):
            """The name as the compiler would have it inside a class."""
            if self.owner and name.startswith("__") and not name.endswith("__"):
                return "_%s%s" % (self.owner, name)
            return name

        def visit_MatchValue(self, node):
            return node

        def visit_AugAssign(self, node):
            self.generic_visit(node)
            if not isinstance(node.target, ast.Attribute):
                return node
            # The value that is added to must be one that may be read.
            of, held = node.target.value, "__target__"
            hold = ast.copy_location(ast.Assign([ast.Name(held, ast.Store())], of), node)
            read = ast.Call(ast.Name("__attribute__", ast.Load()), [ast.Name(held, ast.Load()), ast.Constant(self.mangled(node.target.attr))], [])
            node.target.value = ast.copy_location(ast.Name(held, ast.Load()), node)
            return [hold, ast.copy_location(ast.Expr(read), node), node]

    return ast.fix_missing_locations(Guarded().visit(tree))


# ---- what a program finds ----

# What modules have in public and the guard keeps: each evaluates text, reaches into
# modules by name, or gets and sets attributes by name.
KEPT = {
    "typing": ("get_type_hints", "ForwardRef", "evaluate_forward_ref"),
    "functools": ("singledispatch", "singledispatchmethod"),
    "string": ("Formatter",),
    "enum": ("global_enum", "_simple_enum"),
}


class Blocked(Exception):
    """The program reached for what its level does not allow."""


Blocked.__module__ = "builtins"


def build(tree, modules):
    """Imports what the program imports, and gives stand-ins for it and the function
    that reads attributes."""
    import ast
    import functools
    import importlib
    import sys
    import types

    module_type = types.ModuleType
    hidden = (
        module_type, types.FrameType, types.CodeType, types.TracebackType, types.CellType,
        types.GetSetDescriptorType, types.MemberDescriptorType,
    )
    import builtins
    import os

    risky = ("eval", "exec", "compile", "open", "__import__", "input", "globals", "locals", "vars", "breakpoint")
    risky = frozenset(id(getattr(builtins, n)) for n in risky) | frozenset([id(os.system), id(os.open), id(os.popen)])

    plain, text, kind, sub, base_get, identity = getattr, str, type, issubclass, object.__getattribute__, id
    find, starts, mro, real_super, startswith = str.find, FRAMES, type.__dict__["__mro__"].__get__, super, str.startswith
    readable, known, real_format, real_format_map = READABLE, KNOWN, str.format, str.format_map
    forward = None
    own = set()  # ids of the classes that the program made, which are kept alive
    alive = []

    def block(name):
        raise Blocked("attribute %s is not allowed" % name)

    def underscored(obj, name):
        """Whether an attribute that begins with an underscore may be read."""
        if startswith(name, "__") and name[-2:] == "__":
            return name in readable
        if name in known:
            return True
        klass = kind(obj)
        classes = mro(obj) if sub(klass, kind) else mro(klass)
        if not sub(klass, kind) and identity(klass) in own:
            try:
                if name in base_get(obj, "__dict__"):
                    return True
            except AttributeError:
                pass
        for c in classes:
            if name in kind.__dict__["__dict__"].__get__(c):
                return identity(c) in own
        # Nobody has it, or an object of a class of the program has it in a slot.
        return identity(klass) in own or identity(obj) in own

    def check_result(value, name):
        if sub(kind(value), hidden) or identity(value) in risky:
            raise Blocked("attribute %s is not allowed: it is a %s" % (name, kind(value).__name__))
        return real_type if value is kind else value

    def attribute(obj, name):
        """Reads obj.name for the program."""
        if name[0] == "_":
            if not underscored(obj, name):
                block(name)
        elif startswith(name, starts):
            block(name)
        elif name == "format" or name == "format_map":
            klass = kind(obj)
            if sub(klass, text):
                return functools.partial(safe_format if name == "format" else safe_format_map, obj)
            if klass is real_super or sub(klass, kind) and sub(obj, text):
                return safe_format if name == "format" else safe_format_map
        elif name == "evaluate" and forward is not None and sub(kind(obj), forward):
            block(name)
        return check_result(plain(obj, name), name)

    harmless = frozenset([int, float, complex, str, bytes, bool, type(None), list, dict, tuple, set, types.MethodType, types.FunctionType])
    native = types.BuiltinFunctionType

    def read(obj, name):
        """Reads obj.name, of which check has seen that it is public and of no frame."""
        value = plain(obj, name)
        found = kind(value)
        if found in harmless or found is native and identity(value) not in risky:
            return value
        return check_result(value, name)

    missing = []

    def guarded_getattr(obj, name, default=missing):
        if kind(name) is not text or not name:
            raise TypeError("getattr(): attribute name must be a plain string")
        if default is missing:
            return attribute(obj, name)
        try:
            return attribute(obj, name)
        except AttributeError:
            return default

    def guarded_hasattr(obj, name):
        try:
            guarded_getattr(obj, name)
        except AttributeError:
            return False
        return True

    def writable(name):
        if kind(name) is not text or startswith(name, "__") or startswith(name, starts):
            raise Blocked("setting attribute %s is not allowed" % (name,))

    def guarded_setattr(obj, name, value):
        writable(name)
        setattr(obj, name, value)

    def guarded_delattr(obj, name):
        writable(name)
        delattr(obj, name)

    import _string

    def check_format(pattern):
        # Every name that leads somewhere has an underscore.
        if find(pattern, "_") < 0:
            return
        for _, field, spec, _ in _string.formatter_parser(text(pattern)):
            if field:
                for is_attribute, part in _string.formatter_field_name_split(field)[1]:
                    if is_attribute and (part[:1] == "_" or startswith(part, starts)):
                        raise Blocked("attribute %s in a format is not allowed" % part)
            if spec:
                check_format(spec)

    def safe_format(pattern, *args, **named):
        check_format(pattern)
        return real_format(pattern, *args, **named)

    def safe_format_map(pattern, mapping):
        check_format(pattern)
        return real_format_map(pattern, mapping)

    class Type:
        """Stands for type: it tells an object's type, and makes none."""

        __slots__ = ()

        def __call__(self, obj, *more):
            if more:
                raise Blocked("making a class by calling type is not allowed")
            found = kind(obj)
            return self if found is kind or obj is self else found

        def __instancecheck__(self, obj):
            return obj is self or sub(kind(obj), kind)

        def __subclasscheck__(self, klass):
            return klass is self

        def __getitem__(self, of):
            return of

        def __or__(self, other):
            return other

        __ror__ = __or__

        def __repr__(self):
            return "<class 'type'>"

    real_type = Type()

    real_build = builtins.__build_class__

    def build_class(*args, **named):
        made = real_build(*args, **named)
        # A metaclass may give back a class that was there before.
        if sub(kind(made), kind) and kind.__dict__["__dict__"].__get__(made).get("__module__") == "__main__":
            own.add(identity(made))
            alive.append(made)
        return made

    class Module:
        """Stands for a module: it has the public names of it that may be used."""

        def __init__(self, name):
            base_set(self, "_Module__shown", name)

        def __repr__(self):
            return "<module %r>" % self.__shown

    base_set = object.__setattr__
    stand_ins = {}

    def public(real, name):
        listed = getattr(real, "__all__", None)
        if listed is None:
            listed = [n for n in vars(real) if not n.startswith("_")]
        kept = KEPT.get(name, ())
        for n in listed:
            if n in kept or n.startswith("_"):
                continue
            try:
                value = getattr(real, n)
            except AttributeError:
                continue
            if isinstance(value, hidden) or identity(value) in risky or value is kind:
                continue
            yield n, value

    def wraps(wrapped, assigned=functools.WRAPPER_ASSIGNMENTS, updated=functools.WRAPPER_UPDATES):
        return functools.partial(update_wrapper, wrapped=wrapped)

    def update_wrapper(wrapper, wrapped, assigned=None, updated=None):
        for n in ("__name__", "__qualname__", "__doc__"):
            try:
                setattr(wrapper, n, plain(wrapped, n))
            except (AttributeError, TypeError):
                pass
        return wrapper

    def attrgetter(*names):
        def get(obj):
            found = []
            for dotted in names:
                value = obj
                for n in dotted.split("."):
                    value = guarded_getattr(value, n)
                found.append(value)
            return found[0] if len(found) == 1 else tuple(found)
        return get

    def methodcaller(name, /, *args, **named):
        return lambda obj: guarded_getattr(obj, name)(*args, **named)

    replaced = {
        "functools": {"wraps": wraps, "update_wrapper": update_wrapper},
        "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller},
    }

    def stand_in(name):
        if name in stand_ins:
            return stand_ins[name]
        made = stand_ins[name] = Module(name)
        space = base_get(made, "__dict__")
        if name in modules:
            real = importlib.import_module(name)
            space.update(public(real, name))
            space.update(replaced.get(name, {}))
        space["__all__"] = [n for n in space if not n.startswith("_")]
        if "." in name:
            parent, _, last = name.rpartition(".")
            base_get(stand_in(parent), "__dict__")[last] = made
        return made

    wanted = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wanted.update(a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module in modules:
                wanted.add(node.module)
            wanted.update(n for n in ("%s.%s" % (node.module, a.name) for a in node.names) if n in modules)
    for name in sorted(wanted):
        try:
            stand_in(name)
        except ImportError as problem:
            raise Refused(["import of %s: %s" % (name, problem)]) from None
    # What the library would import later, while nothing may be read any more.
    for late in ("_strptime", "copyreg", "warnings", "encodings.idna", "encodings.latin_1", "encodings.ascii", "encodings.utf_16", "encodings.cp1252"):
        try:
            importlib.import_module(late)
        except ImportError:
            pass
    if "typing" in sys.modules:
        forward = sys.modules["typing"].ForwardRef
    if "copy" in sys.modules:
        confine_copy(sys.modules["copy"])
    confine_formats(sys.modules, safe_format, safe_format_map)

    loaded = sys.modules

    def importing(name, space=None, local=None, fromlist=(), level=0):
        if name not in stand_ins and name in loaded:
            return None  # asked for by the interpreter's own code, which looks it up by itself
        if level or name not in stand_ins:
            raise ImportError("import of %s is not allowed" % (name,))
        return stand_ins[name] if fromlist else stand_ins[name.partition(".")[0]]

    return {
        "__import__": importing, "__build_class__": build_class, "__attribute__": attribute, "__read__": read,
        "getattr": guarded_getattr, "hasattr": guarded_hasattr, "setattr": guarded_setattr, "delattr": guarded_delattr, "type": real_type,
    }


def confine_copy(copy):
    """Keeps copy from calling, and from setting attributes of, what an object names."""
    import copyreg

    makers = [getattr(copyreg, n) for n in ("__newobj__", "__newobj_ex__", "_reconstructor") if hasattr(copyreg, n)]
    reconstruct, kind = copy._reconstruct, type

    def confined(x, memo, func, args, state=None, *more, **named):
        if func is not kind(x) and func not in makers or func in makers and args[0] is not kind(x):
            raise Blocked("an object that is copied must be made by its own class")
        if state is not None and kind(kind(x).__new__) is kind(lambda: 0):
            raise Blocked("an object whose class defines __new__ is not copied with its attributes")
        return reconstruct(x, memo, func, args, state, *more, **named)

    copy._reconstruct = confined


def confine_formats(modules, safe_format, safe_format_map):
    """Makes those of the library that format by a program's pattern look at it first."""
    if "collections" in modules:
        string = modules["collections"].UserString
        string.format = lambda self, /, *args, **named: safe_format(self.data, *args, **named)
        string.format_map = lambda self, mapping: safe_format_map(self.data, mapping)
    if "logging" in modules:

        def by_braces(self, record):
            return safe_format(self._fmt, **{**(getattr(self, "_defaults", None) or {}), **record.__dict__})

        modules["logging"].StrFormatStyle._format = by_braces


def names(special, forbidden):
    """The builtins of a program."""
    import builtins

    space = {n: v for n, v in vars(builtins).items() if not n.startswith("_")}
    for n in ("help", "copyright", "credits", "license", "quit", "exit"):
        space.pop(n, None)
    space.update(special)
    for n in forbidden:
        if n != "__import__":
            space.pop(n, None)
    space["Blocked"] = Blocked
    space["__name__"] = "builtins"
    space["__debug__"] = True
    return space


# ---- what the interpreter does for a program ----


def watch(program):
    """Ends the process when the interpreter is asked for what no program needs, however
    it came to ask. A hook cannot be taken off again."""
    import os
    import sys

    places = []
    for p in sys.path:
        if p:
            places.append(os.path.join(os.path.realpath(p), ""))
            places.append(os.path.join(p, ""))
    places = tuple(places)
    evaluators = ("collections", "dataclasses")
    sources = tuple(f for f in (getattr(sys.modules.get(m), "__file__", None) for m in evaluators) if f)
    frozen = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
    refused = (
        "os.", "subprocess.", "socket.", "ctypes.", "_posixsubprocess.", "fcntl.", "pty.", "shutil.", "signal.", "resource.", "syslog.", "mmap.", "winreg.",
        "msvcrt.", "ftplib.", "http.", "urllib.", "smtplib.", "sqlite3.", "tempfile.", "glob.", "webbrowser.", "code.__new__", "function.__new__", "gc.",
        "marshal.", "pickle.", "sys.set", "sys.addaudithook", "sys._current", "sys.excepthook", "sys.unraisablehook", "sys.remote", "cpython.run", "object.__setattr__", "object.__delattr__",
        "builtins.input", "builtins.breakpoint", "_thread.", "_winapi.", "poplib.", "imaplib.", "nntplib.", "telnetlib.", "ensurepip.", "import.native",
    )
    quiet = ("marshal.loads", "sys.excepthook", "sys.unraisablehook")  # what imports and the end of a program do
    frame, leave, write, is_text, starts, read_only = sys._getframe, os._exit, os.write, str, str.startswith, ("r", "rb", "rt", None)
    forbidden_flags = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    absolute, out, kind = os.path.abspath, sys.__stdout__, type

    def stop(event):
        try:
            out.flush()
        except BaseException:
            pass
        write(2, ("Blocked: the program was ended: it asked the interpreter for %s\n" % event).encode())
        leave(1)

    def hook(event, args):
        if event == "open":
            path, mode, flags = args[0], args[1], args[2]
            if is_text is not kind(path) or mode not in read_only or flags & forbidden_flags or not starts(absolute(path), places):
                # The library asks for files by itself: for the source of a warning, say.
                raise PermissionError(13, "files are not allowed", path if is_text is kind(path) else None)
        elif event == "exec" and args[0] is program:
            return
        elif event == "os.listdir" or event == "os.scandir":
            if is_text is not kind(args[0]) or not starts(absolute(args[0]) + "/", places):
                raise PermissionError(13, "directories are not allowed")
        elif event == "exec" or event == "compile":
            source = frame(1).f_code.co_filename
            if source not in sources and source not in frozen and not (event == "compile" and starts(source, places)):
                stop(event)
        elif event == "import":
            if args[0] in ("ctypes", "_ctypes", "subprocess", "_posixsubprocess", "socket", "_socket", "mmap", "pty", "code", "pdb", "multiprocessing", "pickle", "marshal"):
                stop("import of " + args[0])
        elif event == "object.__setattr__" and args[1] != "__code__" and frame(1).f_code.co_filename in sources:
            return
        elif event not in quiet and starts(event, refused):
            stop(event)

    sys.addaudithook(hook)


main()
