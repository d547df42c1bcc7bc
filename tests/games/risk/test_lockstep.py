"""The compiled rules and the plain-Python reference play the same games, move by move."""

from random import Random

import pytest

import fogbound as fb
from fogbound.games.risk.game import Risk
from fogbound.games.risk.notation import PHASES, hand_of
from fogbound.games.risk.reference import NEUTRAL, ReferenceGame, Tape
from fogbound.games.risk.table import NEUTRAL as NEUTRAL_OWNER

VARIANTS = [
    "risk/classic:round_limit=25",
    "risk/classic:players=6,cards=capped,deck=older,round_limit=12",
    "risk/classic:players=4,deal=true,cards=fixed,round_limit=20",
    "risk/classic:players=2,cards=slow,round_limit=40",
    "risk/classic:players=2,neutral=false,free_fortify=true,round_limit=20",
    "risk/classic:players=5,goal=missions,round_limit=25",
    "risk/classic:players=4,goal=missions,strict_missions=true,deal=true,round_limit=40",
    "risk/classic:army_limit=12,free_fortify=true,round_limit=20",
    "risk/classic:players=2,army_limit=3,round_limit=20",
    "risk/classic:starting_armies=400,round_limit=6",
    "risk/random:territories=6,players=3,seed=1,cards=fixed,deal=true,round_limit=60",
    "risk/random:territories=9,players=4,seed=2,goal=missions,round_limit=60",
    "risk/random:territories=11,players=2,seed=3,army_limit=4,round_limit=60",
    "risk/random:territories=21,continents=5,players=6,seed=4,cards=capped,goal=missions,strict_missions=true,round_limit=40",
    "risk/random:territories=120,continents=14,players=6,seed=5,goal=missions,round_limit=3",
    "risk/random:territories=64,players=2,seed=6,round_limit=6",
]
GAMES = 3  # for each variant


def as_tuple(game, code):
    """A move of the kernels as the reference writes it."""
    parts = game.details(code)
    kind = parts["kind"]
    if kind == "exchange":
        return kind, tuple(parts["cards"]), parts["armies_on"]
    keys = {
        "claim": ["to"],
        "place": ["to", "armies"],
        "attack": ["from", "to", "dice"],
        "battle": ["from", "to", "down_to"],
        "move": ["armies"],
        "fortify": ["from", "to", "armies"],
    }
    return (kind, *(parts[key] for key in keys.get(kind, [])))


def cards(game, words):
    bits = int(words[0]) | int(words[1]) << 64
    return {game.notation.card_id(card) for card in range(game.board.size + 2) if bits >> card & 1}


def mission(game, reference, number):
    if number < 0:
        return None
    last = 6 + len(game.board.missions)
    if number < last:
        return f"destroy {number}" if number < 6 else f"continents {number - 6}"
    return ["many", "firmly"][number - last]


def assert_same(game: Risk, state, reference: ReferenceGame):
    ids = reference.names
    seats = range(game.seats)
    owners = [NEUTRAL if owner == NEUTRAL_OWNER else owner if owner >= 0 else None for owner in state["owner"][: len(ids)]]
    assert owners == [reference.owner[name] for name in ids]
    assert state["armies"][: len(ids)].tolist() == [reference.armies[name] for name in ids]
    assert not state["armies"][len(ids) :].any()
    assert int(state["turn"]) == (-1 if reference.to_move is None else reference.to_move)
    assert state["stock"][: game.seats].tolist() == reference.stock
    assert [{game.notation.card_id(card) for card in hand_of(state, seat)} for seat in seats] == reference.hands
    assert state["cards"][: game.seats].tolist() == [len(hand) for hand in reference.hands]
    assert cards(game, state["discard"]) == reference.turned_in
    assert cards(game, state["old"]) == set().union(*reference.since_shuffle)
    assert state["old_cards"][: game.seats].tolist() == [len(old) for old in reference.since_shuffle]
    assert [mission(game, reference, int(state["mission"][seat])) for seat in seats] == reference.missions
    assert [
        {mission(game, reference, m) for m in range(32) if int(state["ruled_out"][seat]) >> m & 1} for seat in seats
    ] == reference.fulfilled
    assert [int(d) if d >= 0 else None for d in state["destroyer"][: game.seats]] == reference.destroyer
    assert [int(state["round"]), int(state["sets"])] == [reference.round, reference.sets]
    assert [[int(d) for d in dice if d] for dice in (state["dice"][:3], state["dice"][3:])] == [*map(list, reference.dice)]
    assert tuple(state["losses"]) == reference.losses
    assert [seat for seat in seats if int(state["winners"]) >> seat & 1] == reference.winners
    if reference.to_move is not None:
        assert PHASES[state["phase"]] == reference.phase
        assert int(state["pool"]) == reference.to_place
        assert bool(state["conquered"]) == reference.conquered
        assert bool(state["bonus_taken"]) == reference.bonus_taken
        way = tuple(ids[state[end]] for end in ("source", "target")) if state["source"] >= 0 else None
        assert way == reference.way


def play_in_lockstep(game, seed):
    rng = Random(seed)
    match = game.new(seed=seed)
    tape = Tape(match.start)
    reference = ReferenceGame(game.board, tape)
    assert not tape.results
    while not match.over:
        assert_same(game, match.state, reference)
        codes = game.legal(match.state)
        assert codes == sorted(set(codes))
        moves = {as_tuple(game, code): code for code in codes}
        expected = reference.legal()
        assert len(expected) == len(codes)
        assert set(moves) == set(expected)
        move = choose(rng, expected)
        played = match.play(moves[move])
        tape = Tape(played.chance)
        reference.play_unchecked(move, tape)
        assert not tape.results
    assert_same(game, match.state, reference)
    assert match.scores() == tuple((seat in reference.winners) / len(reference.winners) for seat in range(game.seats))
    return reference


def choose(rng, moves):
    """Any move, but warlike more often: battles to the end make destroyed players, captured cards and empty decks."""
    for kind, share in (("exchange", 0.5), ("battle", 0.8), ("move", 0.7)):
        some = [move for move in moves if move[0] == kind]
        if some and rng.random() < share:
            return rng.choice(some)
    return rng.choice(moves)


@pytest.mark.parametrize("spec", VARIANTS)
def test_kernels_and_reference_play_the_same_games(spec):
    game = fb.game(spec)
    for seed in range(GAMES):
        play_in_lockstep(game, seed)
