"""On which line each setting of a TOML file stands, however it is written."""

import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dunr.facts.toml_lines import Path, line_of, lines_of

TRICKY = """# a comment with = and [brackets]
plain = 1 # x
dotted.key = "x # ] }"
"quoted key" = { a = [1, 2], b = {c = 'l'} }
rows = [
  {after = 1, unit = "days"}, # {
  { after = 2,  unit = "]" },
  [1, [2]],
]
empty = []
none = {}
date = 2020-01-01T00:00:00Z
text = \"\"\"
fake = 3 \\\"\"\" still
\"\"\"
[table.'in a'.table]
yes = true
[[list]]
one = 1
[list.inner]
two = "\\"]"
[[list]]
end = \"\"\"a\"\"\"\"\"
[list."x.y"]
raw = '''
it's
'''
last = -1.5e3
"""


def paths(value: object, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*path, index))


def test_every_setting_has_a_line_and_nothing_else_has_one() -> None:
    lines = lines_of(TRICKY)
    assert set(lines) == set(paths(tomllib.loads(TRICKY)))
    found = TRICKY.splitlines()
    for path, line in lines.items():
        names = [part for part in path if isinstance(part, str)]
        assert names[-1] in found[line - 1] or isinstance(path[-1], int), (path, line)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("plain",), 2),
        (("dotted", "key"), 3),
        (("rows", 0, "unit"), 6),
        (("rows", 1, "after"), 7),
        (("rows", 2, 1, 0), 8),
        (("table", "in a", "table", "yes"), 17),
        (("list", 0, "inner", "two"), 21),
        (("list", 1, "x.y", "raw"), 25),
        (("list", 1, "x.y", "last"), 28),
        (("list", 0, "inner", "missing"), 20),  # what is not there is said where it would be
        (("nowhere",), 1),
    ],
)
def test_the_line_is_the_one_on_which_it_is_written(path: Path, line: int) -> None:
    assert line_of(path, lines_of(TRICKY)) == line


KEYS = st.text("ab-_1", min_size=1, max_size=3)
VALUES = st.recursive(
    st.one_of(st.integers(), st.booleans(), st.text("ab#]}{['=,. ", max_size=6)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def written(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {written(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(written(inner) for inner in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else f'"{value}"'


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_any_file_that_can_be_read_has_a_line_for_each_setting(table: dict[str, object]) -> None:
    text = "\n".join(f"{key} = {written(value)}" for key, value in table.items())
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # a list inside an inline table may not run over lines in older TOML
        return
    assert set(lines_of(text)) == set(paths(read))
