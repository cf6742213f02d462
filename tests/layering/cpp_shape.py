# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
"""Functions and data members of a C++ file, found by their braces.

Not a parser: it reads what clang-format has laid out. Each `{` is a scope (namespace, class), a
function or something else by the text since the last `;`, `{` or `}`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>\w*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<!\d)\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_CLASS = re.compile(r".*\b(class|struct|union)\s+(?:MW_\w+\s+)?(?P<name>\w+)[^;={()]*$", re.DOTALL)
_ACCESS = {"public", "private", "protected"}
_SCOPE = re.compile(r'\b(namespace|enum)\b[^()]*$|\bextern\s*""\s*$')
# What may stand between a parameter list and a body: qualifiers, result type, braced initialisers.
_TAIL = re.compile(
    r"\)(?:\s|const\b|noexcept\b|override\b|final\b|mutable\b|&|->[\w:<>*&,\s]+|:[^;]*(?:\{\}|\)))*$"
)
_NO_MEMBER = re.compile(r"^\s*(using|friend|typedef|static|enum|template|static_assert)\b")


@dataclass
class Shape:
    functions: list[tuple[str, int, int]] = field(default_factory=list)  # name, first line, lines
    members: dict[str, int] = field(default_factory=dict)  # class -> number of data members


@dataclass
class _Open:
    kind: str
    name: str
    line: int


def blank(text: str) -> str:
    """The text without comments, literals and preprocessor lines, line for line."""

    def cover(found: re.Match[str]) -> str:
        quotes = '""' if found[0].startswith(('"', "R")) else ""
        return quotes + "\n" * found[0].count("\n")

    return _NOISE.sub(cover, text)


def read(text: str) -> Shape:
    shape = Shape()
    stack: list[_Open] = []
    statement, line, first = "", 1, 1
    for char in blank(text):
        if char == "\n":
            line += 1
        if char == "{":
            stack.append(_classify(statement, stack, first))
        elif char == "}" and stack:
            closed = stack.pop()
            if closed.kind == "function":
                shape.functions.append((closed.name, closed.line, line - closed.line + 1))
            # A braced initialiser is part of its statement.
            statement = statement + "{}" if closed.kind == "other" else ""
            continue
        elif char == ";" and stack and stack[-1].kind == "class":
            _count_member(shape, stack[-1].name, statement)
        if char in "{;" or (char == ":" and statement.strip() in _ACCESS):
            statement = ""
        elif statement.strip() or not char.isspace():
            if not statement.strip():
                first = line
            statement += char
    return shape


def _classify(statement: str, stack: list[_Open], line: int) -> _Open:
    inside = any(entry.kind in {"function", "other"} for entry in stack)
    found = _CLASS.search(statement)
    if found and not inside:
        return _Open("class", found["name"], line)
    if _SCOPE.search(statement) and not inside:
        return _Open("enum" if re.search(r"\benum\b", statement) else "scope", "", line)
    if not inside and _TAIL.search(statement):
        names = re.findall(r"([\w:~]+|operator\W+)\s*\(", statement)
        return _Open("function", names[0] if names else "?", line)
    return _Open("other", "", line)


def _count_member(shape: Shape, name: str, statement: str) -> None:
    plain = re.sub(r"<[^;]*>", "", statement.split("=", maxsplit=1)[0])
    if statement.strip() and "(" not in plain and not _NO_MEMBER.match(statement):
        shape.members[name] = shape.members.get(name, 0) + 1
