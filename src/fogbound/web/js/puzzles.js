// Puzzles: a position with one best move, one a day and all of them; what was solved is kept in this browser.
// @ts-check
import { api } from "./api.js";
import { h, show, toast } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { number, served, t } from "./texts.js";

const KEY = "fogbound:puzzles";
const FIRST_RATING = 1000;
const STEP = 40; // how much one puzzle can change a rating

/** @typedef {{rating: number, done: Record<string, boolean>}} Results */

/** @returns {Results} */
function results() {
  try {
    return { rating: FIRST_RATING, done: {}, ...JSON.parse(localStorage.getItem(KEY) || "{}") };
  } catch {
    return { rating: FIRST_RATING, done: {} };
  }
}

/** Count a first try, as chess sites do: more for a hard puzzle. @param {any} puzzle @param {boolean} right */
function count(puzzle, right) {
  const kept = results();
  if (puzzle.id in kept.done) return;
  const expected = 1 / (1 + 10 ** ((puzzle.rating - kept.rating) / 400));
  kept.rating = Math.round(kept.rating + STEP * (Number(right) - expected));
  kept.done[puzzle.id] = right;
  localStorage.setItem(KEY, JSON.stringify(kept));
}

/** The same puzzle for everybody on one day. @param {any[]} puzzles */
function ofToday(puzzles) {
  const day = Math.floor(Date.now() / 86_400_000);
  return puzzles[day % puzzles.length];
}

/** @param {HTMLElement} page @param {string} id */
export async function open(page, id) {
  const all = await api.puzzles();
  if (!all.length) {
    show(page, h("p", { className: "panel" }, t("puzzles.none")));
    return () => {};
  }
  if (id) return solve(page, await api.puzzle(id, null), all);
  const games = await Promise.all((await api.games()).map((/** @type {any} */ info) => loadGame(info.name)));
  const known = new Map(games.map((game) => [game.info.name, game]));
  const kept = results();
  const solved = Object.values(kept.done).filter(Boolean).length;
  const daily = ofToday(all);
  show(
    page,
    h("h1", {}, t("nav.puzzles")),
    h(
      "p",
      { className: "soft" },
      t("puzzles.about"),
      " ",
      t("puzzles.tally", { n: solved, all: all.length, rating: number(kept.rating) }),
    ),
    h(
      "div",
      { className: "puzzle-list" },
      [daily, ...all].map((puzzle, i) => puzzleCard(puzzle, known, kept, i === 0)),
    ),
  );
  return () => {};
}

/** @param {any} puzzle @param {Map<string, any>} known @param {Results} kept @param {boolean} daily */
function puzzleCard(puzzle, known, kept, daily) {
  const tried = kept.done[puzzle.id];
  const mark = tried === undefined ? "" : tried ? " ✓" : " ✗";
  return h(
    "a",
    { className: `panel puzzle-card${daily ? " daily" : ""}`, "data-route": true, href: `/puzzles/${puzzle.id}` },
    h("div", { className: "thumb" }, picture(known.get(puzzle.family))),
    h(
      "div",
      {},
      h("strong", {}, (daily ? t("puzzles.today") : known.get(puzzle.family).info.title) + mark),
      h("div", { className: "soft small" }, t("puzzles.rated", { rating: number(puzzle.rating) })),
      puzzle.exact ? h("div", { className: "soft small" }, t("review.proved")) : null,
    ),
  );
}

/** @param {HTMLElement} page @param {any} puzzle @param {any[]} all */
async function solve(page, puzzle, all) {
  const game = await loadGame(puzzle.family);
  document.documentElement.dataset.family = puzzle.family;
  const { position, board } = puzzle;
  const area = h("div", { className: "panel board-area" });
  const said = h("div", { className: "panel", role: "status" });
  const side = h("div", { className: "side" });
  const view = new game.Board(area, board, (code) => tryMove(code));
  const next = all[(all.findIndex((each) => each.id === puzzle.id) + 1) % all.length];
  let over = false;
  const who = position.seats[position.to_move].name;
  show(
    page,
    h(
      "div",
      { className: "table puzzle" },
      h(
        "div",
        { className: "panel status" },
        h("h1", {}, t("puzzles.task", { seat: served(who), expected: served(position.expected) })),
        h("a", { className: "button", "data-route": true, href: "/puzzles" }, t("puzzles.all")),
      ),
      area,
      side,
    ),
  );
  view.onSelect = () => render();
  view.update(position);
  render();

  function render() {
    const listed = view.listed ? view.listed(position.legal) : position.legal;
    show(
      side,
      said,
      over
        ? null
        : h(
            "section",
            { className: "panel" },
            h("h2", {}, t("puzzles.moves")),
            h(
              "div",
              { className: "moves" },
              listed
                .slice(0, 60)
                .map((/** @type {any} */ move) =>
                  h(
                    "button",
                    { type: "button", onclick: () => tryMove(move.code) },
                    view.moveText?.(move) || move.text,
                  ),
                ),
            ),
          ),
      view.panels(position),
    );
  }
  async function tryMove(/** @type {number} */ code) {
    if (over) return;
    const found = await api.puzzle(puzzle.id, code).catch((error) => {
      toast(error.message);
      return null;
    });
    if (!found) return;
    count(puzzle, found.right);
    over = true;
    const best = position.legal.find((/** @type {any} */ move) => move.code === found.best_code);
    view.highlight?.(best);
    const tenths = (/** @type {number | null} */ value) => (value === null ? "?" : Math.round(value * 10));
    const words = { side: found.side, best: found.best, before: tenths(found.best_value), after: tenths(found.value) };
    show(
      said,
      h("h2", {}, found.right ? t("puzzles.right") : t("puzzles.wrong")),
      h("p", {}, found.right ? t("puzzles.why-right", words) : t("puzzles.why-wrong", words)),
      h(
        "p",
        { className: "soft small" },
        found.exact ? t("review.exact") : t("puzzles.searched", { n: number(found.iterations) }),
      ),
      h(
        "div",
        { className: "row" },
        h("a", { className: "button", "data-route": true, href: `/puzzles/${next.id}` }, t("puzzles.next")),
      ),
    );
    render();
  }
  return () => {};
}
