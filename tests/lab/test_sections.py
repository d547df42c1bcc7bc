"""Sections of a document of results: those of some boards are replaced, the others stay."""

from __future__ import annotations

import pytest

from benchmarks.sections import head_of, kept, put, section_of

ORDER = ["yard/london", "yard/london-modern", "yard/plan1", "risk/classic"]
HEAD = "# Levels\n\nHow a section `### board` is made.\n"
DOCUMENT = f"{HEAD}\n### yard/london-modern\n\n| a |\n\nA note.\n\n### own/board\n\n| b |\n\n### risk/classic\n\n| c |\n"


def section(name: str, text: str = "new") -> str:
    return f"### {name}\n\n{text}\n"


def names(document: str) -> list[str]:
    return [line[4:] for line in document.splitlines() if line.startswith("### ")]


def test_only_the_sections_named_are_replaced() -> None:
    made = {name: section(name) for name in ("risk/classic", "yard/london-modern")}
    found = put(DOCUMENT, made, ORDER)
    assert found == DOCUMENT.replace("| a |\n\nA note.", "new").replace("| c |", "new")
    assert put(found, made, ORDER) == found
    assert put(DOCUMENT, {}, ORDER) == DOCUMENT


@pytest.mark.parametrize(
    ("name", "place"), [("yard/london", 0), ("yard/plan1", 1), ("own/other", 3)], ids=["a prefix", "between", "unknown"]
)
def test_a_new_section_stands_where_the_order_says_and_changes_no_other(name: str, place: int) -> None:
    found = put(DOCUMENT, {name: section(name)}, ORDER)
    assert names(found)[place] == name
    rest = f"{section(name)}\n" if place < 3 else f"\n{section(name)}"
    assert found.replace(rest, "") == DOCUMENT


def test_a_name_that_begins_another_is_not_taken_for_it() -> None:
    both = put(DOCUMENT, {"yard/london": section("yard/london", "first")}, ORDER)
    assert "### yard/london\n\nfirst\n\n### yard/london-modern\n\n| a |" in both
    again = put(both, {"yard/london-modern": section("yard/london-modern")}, ORDER)
    assert "### yard/london\n\nfirst\n\n### yard/london-modern\n\nnew" in again


def test_all_sections_are_written_anew_under_the_head() -> None:
    assert head_of(DOCUMENT).strip() == HEAD.strip()
    made = {name: section(name) for name in ORDER}
    assert put(head_of(DOCUMENT), made, ORDER) == HEAD + "\n" + "\n".join(made.values())


def ladder(champion: str, rating: str, *rows: str) -> str:
    head = "### risk/classic\n\n| level | agent | seconds | rating |\n|---|---|---|---|\n"
    head += f"| Thinker | `heuristic` | 0 | {rating} |\n"
    return f"{head}| Champion | `{champion}` | 1 |  |\n\n| step | games | stronger |\n|---|---|---|\n" + "".join(rows)


@pytest.mark.parametrize(("champion", "stays"), [("policy", True), ("planner", False)])
def test_rows_without_games_stay_while_the_same_agents_play(champion: str, stays: bool) -> None:
    before = ladder(champion, "1500", "| Champion over Thinker | 400 | yes |\n", "| Thinker over Steady | 9 | no |\n")
    made = ladder("policy", "", "| Champion over Thinker | not played | not played |\n")
    row = "| Champion over Thinker | 400 | yes |\n" if stays else "| Champion over Thinker | not played | not played |\n"
    assert kept(made, before) == ladder("policy", "1500", row)
    played = ladder("policy", "1490", "| Champion over Thinker | 600 | open |\n")
    assert kept(played, before) == played
    assert kept(made, "") == made


def test_a_section_is_found_by_its_whole_name() -> None:
    assert section_of(DOCUMENT, "own/board") == "### own/board\n\n| b |\n\n"
    assert section_of(DOCUMENT, "own/boa") == ""
