"""What clients may send: everything that comes in is checked against these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Nickname = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=24, pattern=r"^[^\x00-\x1f\x7f]+$")
]
LevelName = Annotated[str, StringConstraints(max_length=40)]
AgentSpec = Annotated[str, StringConstraints(max_length=200)]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SeatWish(_In):
    kind: Literal["me", "open", "agent"]
    level: LevelName | None = None
    agent: AgentSpec | None = None
    """An agent's spec, instead of a level."""


class Clock(_In):
    kind: Literal["none", "move", "game"] = "none"
    seconds: float | None = Field(None, ge=5, le=7200)


class Series(_In):
    """Several games one after the other."""

    length: int = Field(ge=2, le=100)
    swap: bool = True
    """Whether everybody moves on to the next side after each game."""


class NewTable(_In):
    """A table to be made."""

    game: Annotated[str, StringConstraints(max_length=300)]
    board: dict[str, Any] | None = None
    """A board of one's own, as the JSON of a board file; `game` then only names it."""
    seats: list[SeatWish] = Field(min_length=1, max_length=8)
    nickname: Nickname = "You"
    public: bool = False
    hotseat: bool = False
    clock: Clock = Clock()
    seed: int | None = Field(None, ge=0, lt=2**62)
    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=40, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    analysis: bool = True
    """Whether players may ask what the computer thinks while they play."""
    series: Series | None = None

    def settings(self) -> dict[str, Any]:
        return {
            "public": self.public,
            "hotseat": self.hotseat,
            "clock": self.clock.model_dump() if self.clock.seconds else {"kind": "none"},
            "seed": self.seed,
            "name": self.name,
            "analysis": self.analysis,
        }

    @staticmethod
    def plain_settings(seed: int | None) -> dict[str, Any]:
        """A table that only its maker knows of, without a clock."""
        return {"public": False, "hotseat": False, "clock": {"kind": "none"}, "seed": seed}


class Trial(_In):
    """A board to be tried out."""

    board: dict[str, Any]
    strength: LevelName
    seed: int = Field(0, ge=0, lt=2**62)


class Join(_In):
    nickname: Nickname
    seats: list[int] | None = Field(None, max_length=8)


class Hello(_In):
    type: Literal["hello"]
    token: Annotated[str, StringConstraints(max_length=200)] | None = None
    changes: bool = False
    """Whether the sender understands `change` messages, and need not be sent the whole table every time."""


class Play(_In):
    type: Literal["play"]
    move: int = Field(ge=0, lt=2**62)
    version: int
    id: Annotated[str, StringConstraints(max_length=40)] | None = None
    """The sender's own name for the move: sent again with it, the move is acknowledged again and not played twice."""


class Undo(_In):
    type: Literal["undo"]
    version: int


class Ready(_In):
    type: Literal["ready"]
    ready: bool = True


class Start(_In):
    type: Literal["start"]
    fill: LevelName | None = None


class Chat(_In):
    type: Literal["chat"]
    text: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]+$")
    ]
    team: bool = False
    """Only for the sender's own side, where that has several seats."""


class Rematch(_In):
    type: Literal["rematch"]


class TakeOver(_In):
    type: Literal["takeover"]
    seat: int
    level: LevelName | None = None


class Reclaim(_In):
    """Whoever was away takes his seats back from the agent."""

    type: Literal["reclaim"]


class Analysis(_In):
    type: Literal["analysis"]
    on: bool = True
    agent: AgentSpec | None = None
    """Who is asked, if not the strongest player of the game."""


class Past(_In):
    """Whoever comes anew asks what the last moves did."""

    type: Literal["past"]


class Show(_In):
    type: Literal["show"]
    seat: int


class Ping(_In):
    type: Literal["ping"]


Message = Annotated[
    Play | Undo | Ready | Start | Chat | Rematch | TakeOver | Reclaim | Analysis | Past | Show | Ping,
    Field(discriminator="type"),
]
