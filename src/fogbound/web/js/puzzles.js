// Puzzles: a position with one best move, one a day and all of them; what was solved is kept in this browser.
// @ts-check
import { api } from "./api.js";
import { h, show, toast } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { Study } from "./study.js";
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
  const { position, board } = puzzle;
  const next = all[(all.findIndex((each) => each.id === puzzle.id) + 1) % all.length];
  const seat = served(position.seats[position.to_move].name);
  const task = puzzle.goal
    ? t("puzzles.goal", { seat, goal: game.goal?.(puzzle.goal) || puzzle.goal.text })
    : t("puzzles.task", { seat, expected: served(position.expected) });
  const head = [
    h("h1", {}, task),
    h("a", { className: "button", "data-route": true, href: "/puzzles" }, t("puzzles.all")),
  ];
  const study = new Study(page, game, board, head, (code) => tryMove(code));
  let over = false;
  study.update(position);

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
    study.say(
      h("h2", {}, found.right ? t("puzzles.right") : t("puzzles.wrong")),
      h("p", {}, verdict(puzzle, found, study.view.moveText?.(best) || best.text)),
      h("p", { className: "soft small" }, proof(puzzle, found)),
      h(
        "div",
        { className: "row" },
        h("a", { className: "button", "data-route": true, href: `/puzzles/${next.id}` }, t("puzzles.next")),
      ),
    );
    study.update({ ...position, legal: [] });
    study.view.highlight?.(best);
  }
  return () => {};
}

/** What the best move and one's own are worth. @param {any} puzzle @param {any} found @param {string} best */
function verdict(puzzle, found, best) {
  const worth = (/** @type {number | null} */ value) => {
    if (value === null) return "?";
    return puzzle.goal ? number(value, { style: "percent", maximumFractionDigits: 1 }) : Math.round(value * 10);
  };
  const words = { side: served(found.side), best, before: worth(found.best_value), after: worth(found.value) };
  if (puzzle.goal) return t(found.right ? "puzzles.goal-right" : "puzzles.goal-wrong", words);
  return t(found.right ? "puzzles.why-right" : "puzzles.why-wrong", words);
}

/** @param {any} puzzle @param {any} found */
function proof(puzzle, found) {
  if (puzzle.goal) return t("puzzles.odds");
  return found.exact ? t("review.exact") : t("puzzles.judged", { judge: found.by.split(":")[0] });
}
