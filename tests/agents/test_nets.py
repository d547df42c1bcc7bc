"""Nets by name: where they are looked up, in which order, and what is said when there is none."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents import nets


def saved(folder: Path, name: str, number: float) -> None:
    folder.mkdir(exist_ok=True)
    nets.save(folder / f"{name}.safetensors", {"number": np.array([number], np.float32)}, {"kind": "test"})


def number(name: str, board: str = "") -> float:
    return float(nets.load(name, board).tensors["number"][0])


def test_folders_in_the_environment_are_searched_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path / "a", "mine", 1)
    saved(tmp_path / "b", "mine", 2)
    saved(tmp_path / "b", "mine-plan1", 3)
    saved(tmp_path / "b", "risk-es", 4)
    there = [str(tmp_path / name) for name in ("a", "missing", "b")]
    monkeypatch.setenv("FOGBOUND_WEIGHTS", os.pathsep.join(there))
    assert number("mine") == 1
    assert number("mine", "plan1") == 3  # that of the board comes first, wherever it is
    assert "number" not in nets.load("risk-es").tensors  # the package's own comes first
    assert {"mine", "mine-plan1", "risk-es"} <= set(nets.names())
    monkeypatch.delenv("FOGBOUND_WEIGHTS")
    with pytest.raises(fb.FogboundError, match="no weights “mine”"):
        nets.load("mine")


def test_the_package_ships_no_net_that_only_reproduces_a_thesis() -> None:
    assert not [file.name for file in nets.PACKAGED.iterdir() if nets.is_reproduced(file.name)]


def test_a_clone_has_the_nets_of_the_theses() -> None:
    files = list(nets.THESES.glob("*.safetensors"))
    assert len(files) == 61 and all(nets.is_reproduced(file.name) for file in files)
    assert nets.find("husa-plan1") == nets.THESES / "husa-plan1.safetensors"


def test_an_unknown_name_is_answered_with_those_that_exist() -> None:
    with pytest.raises(fb.FogboundError, match=r"no weights “nothing-like-it”\. Known names: .*grid5-mr-x, .*risk-es"):
        nets.load("nothing-like-it")
    with pytest.raises(fb.FogboundError, match=r"no weights “risk-ef”\. Did you mean “risk-es”"):
        nets.load("risk-ef")


def test_without_a_clone_the_nets_of_the_theses_are_said_to_come_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nets, "THESES", Path("missing"))
    with pytest.raises(fb.FogboundError, match=r"no weights “husa” for plan1.*come only with a clone of the repository"):
        fb.agent("net:weights=husa", "scotland-yard/plan1")
    assert not [name for name in nets.names() if nets.is_reproduced(name)]


def test_a_file_of_weights_whose_parts_do_not_fit_is_refused_in_words(tmp_path: Path) -> None:
    sound = nets.load("pursuit-plan1")
    first = next(name for name in sound.tensors if name.endswith("0.weight"))
    damage = {
        "narrow": ({**sound.tensors, first: sound.tensors[first][:-1]}, sound.about),
        "broken": ({**sound.tensors, first: sound.tensors[first] * np.nan}, sound.about),
        "missing": ({name: each for name, each in sound.tensors.items() if name != first}, sound.about),
        "unknown": (sound.tensors, {**sound.about, "mrx": "fog", "detectives": "fog"}),
        "other": (sound.tensors, {}),
    }
    for name, (tensors, about) in damage.items():
        file = tmp_path / f"{name}.safetensors"
        nets.save(file, tensors, about)
        with pytest.raises(fb.FogboundError, match=name):
            fb.agent(f"net:weights={file}", "scotland-yard/plan1")
    (tmp_path / "cut.safetensors").write_bytes(file.read_bytes()[:1000])
    with pytest.raises(fb.FogboundError, match="is not a valid file of weights"):
        fb.agent(f"net:weights={tmp_path / 'cut.safetensors'}", "scotland-yard/plan1")
