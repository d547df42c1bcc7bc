"""The curve of a training of Risk's net: what it won, while it learned, of games with others.

python benchmarks/risk_policy.py training/risk-policy/state.json docs/images/selfplay-risk.png
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import matplotlib.pyplot as plt

TABLES = {"classic 3": "classic map, three players", "generated 3": "generated maps, three players", "six": "six players"}
OTHERS = {"scripted": "scripted players", "strangers": "strangers", "searches": "turn searches"}


def draw(curve: list[dict[str, float]], target: Path) -> None:
    figure, axes = plt.subplots(1, len(TABLES), figsize=(11, 3.2), sharey=True)
    for axis, (table, title) in zip(axes, TABLES.items(), strict=True):
        for other, label in OTHERS.items():
            told = [line for line in curve if f"{table} {other}" in line and f"{table} rounds" in line]
            axis.plot(
                [line["decisions"] / 1e6 for line in told], [100 * line[f"{table} {other}"] for line in told], label=label
            )
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("million decisions")
        axis.set_ylim(0, 100)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("% won, one among others")
    axes[0].legend(fontsize=8, loc="lower right")
    figure.tight_layout()
    figure.savefig(target, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", type=Path, help="the checkpoint's state.json")
    parser.add_argument("image", type=Path)
    given = parser.parse_args()
    draw(json.loads(given.state.read_text(encoding="utf-8"))["curve"], given.image)


if __name__ == "__main__":
    main()
