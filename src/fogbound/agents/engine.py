"""The other way round: an agent of ours as a program that speaks the bots' protocol (docs/guide/bots.md)."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from fogbound.agents.program import PROTOCOL
from fogbound.core import registry
from fogbound.core.agent import Agent
from fogbound.core.contract import Game, State
from fogbound.core.errors import FogboundError
from fogbound.core.view import Seen, View

Message = dict[str, Any]


class Engine:
    """An agent's spec, and the game that it plays at the moment."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.game: Game | None = None
        self.agent: Agent | None = None
        self.history: list[Seen] = []
        self.ready = False
        """Whether everything that it needs has been compiled or loaded."""

    def answer(self, message: Message) -> Message | None:
        """What to say to a message, if anything."""
        answers: dict[Any, Callable[[Message], Message | None]] = {
            "hello": self._hello,
            "game": self._new_game,
            "move": self._move,
        }
        kind = message.get("type")
        if kind not in answers:
            return {"type": "error", "error": f"There is no message of the type {kind!r}."}
        try:
            return answers[kind](message)
        except FogboundError as error:
            return {"type": "error", "error": str(error)}
        except (KeyError, TypeError, ValueError) as error:
            return {"type": "error", "error": f"This message of the type “{kind}” is not whole: {error!r}."}

    def _hello(self, _message: Message) -> Message:
        return {"type": "hello", "protocol": PROTOCOL, "name": self.spec}

    def _new_game(self, message: Message) -> Message:
        spec = str(message["game"])
        self.game = registry.rebuild(spec.partition("/")[0], message["definition"])
        self.game.spec, self.game.shipped = spec, bool(message.get("shipped"))
        side = int(message["side"])
        if not self.ready:
            try_out(self.spec, self.game, side)
            self.ready = True
        self.agent = registry.agent(self.spec, self.game, int(message.get("seed", 0)), side)
        self.history = []
        return {"type": "game"}

    def _move(self, message: Message) -> Message:
        if self.game is None or self.agent is None:
            raise FogboundError("Tell the game before asking for a move.")
        self.history += [Seen(int(event["seat"]), int(event["code"])) for event in message["events"]]
        state, start = (_unpacked(self.game, message[name]) for name in ("state", "start"))
        view = View(self.game, int(message["seat"]), state, tuple(self.history), start)
        decision = self.agent.choose(view)
        values = {str(code): float(value) for code, value in decision.values.items()}
        return {"type": "move", "move": int(decision.action), "values": values}


def try_out(spec: str, game: Game, side: int) -> None:
    """Let an agent make a move in a game that does not count, so that none that counts waits for a compiler."""
    match = game.new(seed=1)
    while not match.over and game.side_of[match.to_move] != side:
        match.play(match.legal()[0])
    if not match.over:
        registry.agent(spec, game, side=side).choose(match.view(match.to_move))


def _unpacked(game: Game, text: str) -> State:
    data = b64decode(text, validate=True)
    if len(data) != game.rules.state.itemsize:
        raise FogboundError(f"A state of {game.spec} has {game.rules.state.itemsize} bytes, not {len(data)}.")
    state: State = np.frombuffer(data, game.rules.state).copy()[0]
    return state


def serve(spec: str, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """Answer line by line until there are no more, or until “quit”."""
    engine = Engine(spec)
    for line in filter(str.strip, lines):
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            say(json.dumps({"type": "error", "error": "A message is a JSON object on one line."}))
            continue
        if message.get("type") == "quit":
            return
        answer = engine.answer(message)
        if answer is not None:
            say(json.dumps(answer))
