"""The variants of Eight-Minute Empire that its tests play: every board, option and number of players."""

from __future__ import annotations

from pathlib import Path

NO_MAP = str(Path(__file__).parent / "islands.json")  # a region file without places, with islands and few token spaces

VARIANTS = [
    "empire/seed",
    "empire/seed:players=3",
    "empire/seed:players=4",
    "empire/seed:players=5",
    "empire/seed:bidding=true,neutral=true,tokens=true,continents=regions,wild=owned,ties=printed,print=other",
    "empire/seed:players=4,bidding=true,tokens=true,wild=owned",
    "empire/seed:neutral=true",
    "empire/side-a:players=2,bidding=true,neutral=true,continents=regions,wild=owned,ties=printed",
    "empire/side-a:players=3,tokens=true",
    "empire/side-a:players=5,continents=regions,print=other",
    "empire/side-b:players=2,neutral=true,tokens=true,continents=regions",
    "empire/side-b:players=4,bidding=true,ties=printed,wild=owned",
    "empire/side-b:players=5,bidding=true,tokens=true",
    "empire/random:seed=5,width=6,height=5",
    "empire/random:seed=1,width=9,height=7,players=3,tokens=true,bidding=true",
    "empire/random:seed=2,width=3,height=3,land=40,players=4,continents=regions,coins=3",
    "empire/seed:players=2,turns=18,coins=60",
    "empire/seed:players=5,turns=8,bidding=true,coins=1",
    f"empire/{NO_MAP}:players=3,tokens=true,continents=regions",
    f"empire/{NO_MAP}:bidding=true,neutral=true,print=other",
]
