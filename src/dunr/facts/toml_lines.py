"""On which line of a TOML file each setting stands, so that a complaint about it can name the line.

`tomllib` reads the values and says nothing of where they were. This walks over a text that `tomllib` has accepted already, follows keys, tables and arrays, and
notes the line of each; it judges nothing and reads no value. A path is the keys and indexes on the way: `("steps", 0, "after")`.
"""

import re
import tomllib
from collections.abc import Mapping

Path = tuple[str | int, ...]

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
BASIC_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
LITERAL_STRING = re.compile(r"'[^'\n]*'")
LONG_BASIC_STRING = re.compile(r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}', re.DOTALL)
LONG_LITERAL_STRING = re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}", re.DOTALL)
STRINGS = (LONG_BASIC_STRING, LONG_LITERAL_STRING, BASIC_STRING, LITERAL_STRING)
SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
PLAIN_VALUE = re.compile(r"[^,\]}#\n]+")  # a number, a boolean or a date


def lines_of(text: str) -> Mapping[Path, int]:
    """The line (from 1) of each key, table and array element of a valid TOML text."""
    return _Walk(text).lines


def line_of(path: Path, lines: Mapping[Path, int]) -> int:
    """The line of a path, else that of the nearest table around it, else the first."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Walk:
    """One pass over a text, from key to key."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.lines: dict[Path, int] = {}
        self._tables: dict[Path, int] = {}  # how many tables an array of tables has so far
        self._document()

    def _document(self) -> None:
        table: Path = ()
        self._skip()
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip()

    def _header(self) -> Path:
        """`[a.b]` or `[[a.b]]`; the path of the table that begins."""
        is_array = self._text.startswith("[[", self._at)
        self._at += 2 if is_array else 1
        line = self._line()
        table: Path = ()
        keys = self._keys()
        for index, key in enumerate(keys):
            table = (*table, key)
            self.lines.setdefault(table, line)
            if is_array and index == len(keys) - 1:
                self._tables[table] = self._tables.get(table, 0) + 1
            if table in self._tables:
                table = (*table, self._tables[table] - 1)
                self.lines.setdefault(table, line)
        self._skip()
        self._at += 2 if is_array else 1
        return table

    def _pair(self, table: Path) -> None:
        """`key = value`, with the line of each part of a dotted key."""
        line = self._line()
        for key in self._keys():
            table = (*table, key)
            self.lines.setdefault(table, line)
        self._skip()
        self._at += 1  # the equals sign
        self._skip()
        self._value(table)

    def _keys(self) -> list[str]:
        """The parts of a dotted key."""
        keys = []
        while True:
            self._skip()
            found = self._match(BARE_KEY) or self._match(BASIC_STRING) or self._match(LITERAL_STRING)
            keys.append(next(iter(tomllib.loads(f"{found} = 0"))))
            self._skip()
            if not self._text.startswith(".", self._at):
                return keys
            self._at += 1

    def _value(self, path: Path) -> None:
        character = self._text[self._at]
        if character == "[":
            self._array(path)
        elif character == "{":
            self._inline_table(path)
        elif not any(self._match(string) for string in STRINGS):
            self._match(PLAIN_VALUE)

    def _array(self, path: Path) -> None:
        index = 0
        while self._more("]"):
            self.lines[*path, index] = self._line()
            self._value((*path, index))
            index += 1

    def _inline_table(self, path: Path) -> None:
        while self._more("}"):
            self._pair(path)

    def _more(self, end: str) -> bool:
        """Step over the opening or the comma; whether another element follows before the end, which is stepped over, too."""
        self._skip()
        if self._text[self._at] != end:
            self._at += 1
            self._skip()
        if self._text[self._at] != end:
            return True
        self._at += 1
        return False

    def _skip(self) -> None:
        self._match(SPACE)

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]

    def _line(self) -> int:
        return self._text.count("\n", 0, self._at) + 1
