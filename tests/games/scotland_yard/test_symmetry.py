"""Symmetries of boards: each keeps all links, and there are as many as the drawing shows."""

from __future__ import annotations

import fogbound as fb
from fogbound.games.scotland_yard.symmetry import MOST, automorphisms, keeping_starts, symmetries


def test_a_square_grid_has_eight_symmetries_and_a_lopsided_board_one() -> None:
    assert len(symmetries(fb.game("scotland-yard/grid4").table)) == 8
    assert len(symmetries(fb.game("scotland-yard/plan1").table)) == 1


def test_every_symmetry_keeps_all_links() -> None:
    table = fb.game("scotland-yard/grid5").table
    links = {(s, int(t)) for s in range(25) for t in table.any_links[table.any_start[s] : table.any_start[s + 1]]}
    for row in symmetries(table):
        assert {(int(row[a]), int(row[b])) for a, b in links} == links


def test_a_square_has_eight_automorphisms_and_each_keeps_the_links() -> None:
    ends = [[b for b in range(25) if abs(a // 5 - b // 5) + abs(a % 5 - b % 5) == 1] for a in range(25)]
    found = automorphisms([dict.fromkeys(each, 0) for each in ends])
    assert len({tuple(each) for each in found.tolist()}) == 8
    for turned in found.tolist():
        assert all(sorted(turned[b] for b in ends[a]) == ends[turned[a]] for a in range(25))


def test_the_identity_comes_first_and_the_others_follow_in_order() -> None:
    rows = symmetries(fb.game("scotland-yard/grid3").table).tolist()
    assert rows[0] == list(range(9))
    assert rows == sorted(rows)


def test_a_label_that_differs_breaks_a_symmetry() -> None:
    ring = [{1: 0, 3: 0}, {0: 0, 2: 0}, {1: 0, 3: 0}, {0: 0, 2: 0}]
    assert len(automorphisms(ring)) == 8
    ring[0][1] = ring[1][0] = 1
    assert automorphisms(ring).tolist() == [[0, 1, 2, 3], [1, 0, 3, 2]]


def test_of_a_graph_with_very_many_symmetries_some_are_used_the_identity_among_them() -> None:
    star = [dict.fromkeys(range(1, 8), 0), *({0: 0} for _ in range(7))]
    found = automorphisms(star)
    assert len(found) == MOST and found[0].tolist() == list(range(8))


def test_starts_can_break_symmetries() -> None:
    table = fb.game("scotland-yard/grid3").table
    corner = table._replace(mr_x_starts=table.mr_x_starts[:1])
    assert table.mr_x_starts[0] == 0
    assert keeping_starts(symmetries(corner), corner).tolist() == [list(range(9)), [0, 3, 6, 1, 4, 7, 2, 5, 8]]
