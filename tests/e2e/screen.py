"""What a person does in front of the page."""

from __future__ import annotations

from typing import Any

TITLES = {"scotland-yard": "Scotland Yard", "risk": "Risk", "empire": "Eight-Minute Empire"}
SMALL = {  # quick boards: the board, the number of players or detectives, more rules
    "scotland-yard": ("grid4", "1", "rounds=4"),
    "risk": ("random", "2", "territories=8,neutral=false,deal=true,starting_armies=6,round_limit=2"),
    "empire": ("seed", "2", "turns=3"),
}


def card(page: Any, game: str) -> Any:
    return page.locator(".game-card").filter(has=page.get_by_role("heading", name=TITLES[game]))


def set_up(page: Any, game: str, who: list[str]) -> str:
    """Make a table on a small board by the set-up screen; `who` is the choice for each side. Its address."""
    board, players, more = SMALL[game]
    count = "detectives" if game == "scotland-yard" else "players"
    page.goto(f"/new/{game}?game={game}/{board}:{count}={players},{more}")
    page.wait_for_function(f"document.querySelectorAll('[data-side]').length === {len(who)}")
    for side, choice in enumerate(who):
        page.locator(f"[data-side='{side}']").select_option(choice)
    page.get_by_role("button", name="Start", exact=True).dblclick()  # as impatient people do: it makes one table
    page.wait_for_url("**/table/*")
    return str(page.url)


def version(page: Any) -> int:
    return int(page.locator(".board-area").get_attribute("data-version") or -1)


def over(page: Any) -> bool:
    return bool(page.locator(".board-area").get_attribute("data-phase") == "over")


def wait_for_turn(page: Any) -> None:
    """Until the last move was answered and it is this person's turn, or the game is over."""
    page.wait_for_function(
        "() => { const a = document.querySelector('.board-area');"
        " if (!a?.dataset.version || a.ariaBusy) return false;"
        " return a.dataset.phase === 'over' || document.querySelector('.status.mine') !== null; }"
    )


def wait_past(page: Any, old: int) -> None:
    page.wait_for_function(f"() => Number(document.querySelector('.board-area').dataset.version) > {old}")


# What a player could click now: a choice that is open, else something lit on the board, else what is under it.
CLICK = """(rank) => {
  const area = document.querySelector('.board-area');
  const pick = (list) => list[rank % list.length];
  const choices = [...area.querySelectorAll('.popover [role=menuitem]')];
  if (choices.length) { pick(choices).click(); return 'choice'; }
  const lit = [...area.querySelectorAll('.station.legal, .area.legal, .empire-card.legal')];
  const under = [...area.querySelectorAll('.board-foot > button, .deeds button')];
  const end = under.find((b) => /End turn|Done|Stay/.test(b.textContent));
  const element = lit.length && !(end && rank % 3 === 2) ? pick(lit) : (end || pick(under));
  element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  return element.textContent || 'place';
}"""


def play_by_clicking(page: Any, most: int = 400) -> int:
    """Play to the end by clicking on the board; how many clicks it took."""
    for rank in range(most):
        wait_for_turn(page)
        if over(page):
            return rank
        page.evaluate(CLICK, rank)
    raise AssertionError("the game did not end")
