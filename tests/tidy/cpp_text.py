"""Just enough C++ for rules about text: comments and strings blanked, scopes with their kind.

A parser it is not: macros are read as they stand. It errs toward silence on code it cannot read.
"""

import bisect
import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      | (?P<raw>(?:u8|[uUL])?R"(?P<tag>[^()\\\s]{0,16})\((?P<body>.*?)\)(?P=tag)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<number>\b\d(?:'?[\w.])*)
      | (?P<char>'(?:\\.[^'\n]*|[^'\\\n])')""",
    re.DOTALL | re.VERBOSE,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def split(text):
    """(code, strings): code is `text` with comments and the inside of strings blanked, place for
    place; strings is a list of (line, content)."""
    strings = []

    def replace(match):
        found = match.group(0)
        if match.lastgroup is None or match.group("number"):
            return found
        if match.group("comment"):
            return _blank(found)
        if match.group("char"):
            return "'" + _blank(found[1:-1]) + "'"
        content = match.group("body") if match.group("raw") else found[1:-1]
        strings.append((text.count("\n", 0, match.start()) + 1, content))
        return '"' + _blank(found[1:-1]) + '"'

    return _TOKEN.sub(replace, text), strings


def includes(text):
    """(line, header) of every #include, whichever brackets it uses."""
    pattern = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
    return [(text.count("\n", 0, m.start()) + 1, m.group(1)) for m in pattern.finditer(text)]


@dataclass
class Function:
    name: str
    line: int
    lines: int


@dataclass
class Scopes:
    functions: list = field(default_factory=list)  # outermost ones
    globals: list = field(default_factory=list)  # (line, text): state that outlives a call


_NOT_A_VARIABLE = re.compile(
    r"^(__extension__\s+)?(using|typedef|friend|template|extern|static_assert|namespace|return|goto|"
    r"public|private|protected|enum|class|struct|union|concept|asm|operator|export|import)\b"
)
_IMMUTABLE = re.compile(r"\b(constexpr|const|consteval)\b")
_STATIC = re.compile(r"((inline|thread_local)\s+)*static\b")
_TYPE = re.compile(r"((typedef|static|inline|const)\s+)*(class|struct|union|enum)\b")


def _head(statement):
    """The declaration before its initializer, without attributes and template arguments."""
    head = re.sub(r"\[\[.*?\]\]|\btemplate\s*<(?:[^<>]|<[^<>]*>)*>", " ", statement)
    while True:
        shorter = re.sub(r"<[^<>=;]*>", " ", head)
        if shorter == head:
            return re.split(r"(?<![=!<>+\-*/%&|^])=(?!=)|\{", head, maxsplit=1)[0].strip()
        head = shorter


def _kind(statement, outer):
    """What a `{` after `statement` opens inside a scope of kind `outer`. A value is part of its
    statement: an initializer, a default argument, a member in a constructor's list."""
    if outer in ("function", "value"):
        return outer
    if re.search(r"\bnamespace\b", statement) or re.fullmatch(r'extern\s*" *"', statement):
        return "namespace"
    head = _head(statement)
    if _TYPE.match(head) and "(" not in head:
        return "class"
    if statement.count("(") != statement.count(")"):
        return "value"
    if re.search(r"\)\s*(noexcept\s*)?:(?!:)", statement) and re.search(r"[\w>]$", statement):
        return "value"
    if "=" in statement and "operator" not in statement and "(" not in head:
        return "value"
    return "function" if "(" in head or "operator" in head else "value"


def _is_state(statement, kind):
    """Whether a finished statement in a scope of this kind declares state that outlives a call."""
    head = _head(statement)
    if not head or _NOT_A_VARIABLE.match(head) or "operator" in head or _IMMUTABLE.search(head):
        return False
    if kind == "namespace":
        return "(" not in head and bool(re.search(r"[\w\]>*&]\s+[*&]?\w+", head))
    return bool(_STATIC.match(head)) and (kind == "function" or "(" not in head)


def _function_name(statement):
    """"A::B"; "Suite.Name" for a test."""
    if "operator=" in statement:
        return "operator="
    head = re.sub(r"\s+", " ", _head(statement))
    if re.match(r"(TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_\w*PROP) ?\(", head):
        return re.sub(r"[ )]", "", head.split("(", 1)[1]).split(",(")[0].replace(",", ".", 1)
    match = re.search(r"([\w:]*\boperator ?[^\s(]+|[\w:~]+) ?\(", head)
    return (match.group(1) if match else head[:40]).replace(" ", "")


def scopes(code):
    """Functions and global state of `code`, which is split()'s first result."""
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: _blank(m.group(0)), code, flags=re.MULTILINE)
    newlines = [i for i, c in enumerate(code) if c == "\n"]
    walker = _Walker(lambda at: bisect.bisect_left(newlines, at) + 1)
    for match in re.finditer(r"[{};]|(?<!:):(?!:)", code):
        walker.meet(match.group(0), code, match.start())
    return walker.found


class _Walker:
    """Goes from brace to brace and keeps the stack of scopes."""

    def __init__(self, line_of):
        self.line_of = line_of
        self.found = Scopes()
        self.stack = []  # (kind, the statement before the brace, where that began)
        self.begun = 0  # where the statement at hand begins

    def kind(self):
        return self.stack[-1][0] if self.stack else "namespace"

    def meet(self, mark, code, at):
        between = code[self.begun : at]
        statement = between.strip()
        start = self.begun + len(between) - len(between.lstrip())
        if mark == "{":
            self._open(statement, start, at)
        elif mark == "}":
            self._close(at)
        elif mark == ";" and self.kind() != "value" and statement.count("(") == statement.count(")"):
            self._note(statement, start)
            self.begun = at + 1
        elif mark == ":" and statement in ("public", "private", "protected"):
            self.begun = at + 1

    def _open(self, statement, start, at):
        kind = _kind(statement, self.kind())
        if kind == "function" and self.kind() == "function":
            self._note(statement, start)
        self.stack.append((kind, statement, start))
        if kind != "value":
            self.begun = at + 1

    def _close(self, at):
        if not self.stack:
            return
        kind, statement, start = self.stack.pop()
        if kind == "value":
            return
        if kind == "function" and self.kind() in ("namespace", "class"):
            first, last = self.line_of(start), self.line_of(at)
            self.found.functions.append(Function(_function_name(statement), first, last - first + 1))
        self.begun = at + 1

    def _note(self, statement, start):
        if _is_state(statement, self.kind()):
            self.found.globals.append((self.line_of(start), re.sub(r"\s+", " ", statement)[:60]))
