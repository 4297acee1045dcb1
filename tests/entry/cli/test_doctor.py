"""`dunr doctor` looks at the brands, too: colours that cannot be read, and policies whose brand is not there."""

from tests.entry.cli.terminals import Terminal


def brand_checks(terminal: Terminal) -> list[tuple[str, str, str]]:
    told = terminal.run("doctor", "--json").json["checks"]
    return [(one["about"], one["level"], one["found"]) for one in told if one["about"].startswith("brand")]


def test_colours_that_can_be_read_are_said_to_be(terminal: Terminal) -> None:
    [(about, level, found)] = brand_checks(terminal)
    assert (about, level) == ("brand", "ok")
    assert "default" in found


def test_a_colour_that_can_hardly_be_told_from_the_letter_is_warned_of(terminal: Terminal) -> None:
    (terminal.folder / "dunr.toml").write_text(
        '[brands.pale]\ncolour = "#f4f4c0"\n[brands.night]\ncolour = "#101820"\n'
    )
    found = brand_checks(terminal)
    assert [(about, level) for about, level, _ in found] == [("brand: pale", "warning"), ("brand: night", "warning")]
    assert "can hardly be told from the white of a letter" in found[0][2]
    assert "at night" in found[1][2]


def test_a_policy_whose_brand_is_gone_fails(terminal: Terminal) -> None:
    (terminal.folder / "mine.toml").write_text('name = "mine"\nbrand = "premium"\n')
    terminal.set(policy="mine.toml")
    failed = [found for _, level, found in brand_checks(terminal) if level == "failed"]
    assert len(failed) == 1
    assert "no [brands.premium]" in failed[0]
