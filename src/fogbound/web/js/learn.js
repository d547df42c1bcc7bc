// Learning a game: a lesson of positions, its rules with pictures of the board, and a first game with a coach.
// @ts-check
import { api } from "./api.js";
import { h, show, toast } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { coachAgain } from "./help.js";
import { give } from "./lesson.js";
import { go } from "./main.js";
import { nickname } from "./names.js";
import { whileCompiling } from "./progress.js";
import { served, t } from "./texts.js";

/** @typedef {import("./game-module.js").Game} Game */
/** @typedef {import("./game-module.js").Part} Part */

/** @param {HTMLElement} page @param {string} family */
export async function open(page, family) {
  const game = await loadGame(family);
  document.documentElement.dataset.family = family;
  const rules = game.rules(game.info);
  const wait = h("div", { role: "status" });
  const tasks = h("section", { className: "panel", hidden: true });
  const lesson = game.step ? await whileCompiling(wait, api.lesson(family)) : { boards: {}, steps: [] };
  const first = h("button", { type: "button", onclick: () => play() }, t("learn.game"));
  const start = h(
    "button",
    { className: "primary", type: "button", onclick: () => give(page, game, lesson, () => play()) },
    t("learn.start"),
  );
  show(
    page,
    h(
      "div",
      { className: "learn" },
      h(
        "header",
        { className: "row" },
        h("div", { className: "thumb large" }, picture(game)),
        h(
          "div",
          {},
          h("h1", {}, t("learn.title", { game: game.info.title })),
          h("p", { className: "soft" }, served(game.info.about)),
        ),
      ),
      h(
        "section",
        { className: "panel lesson" },
        h("h2", {}, t("learn.lesson")),
        lesson.steps.length ? h("p", {}, t("learn.lesson.about", { n: lesson.steps.length })) : null,
        h("div", { className: "row" }, lesson.steps.length ? start : null, first, wait),
      ),
      [...rules.parts, ...(rules.more || [])].map((part) => chapter(game, lesson, part)),
      tasks,
    ),
  );
  showPuzzles(game, tasks);

  /** The usual game against a beginner, with a coach beside it. */
  async function play() {
    coachAgain(game);
    try {
      go(`/table/${await whileCompiling(wait, firstTable(game))}`);
    } catch (error) {
      toast(String(/** @type {Error} */ (error).message));
    }
  }
  return () => {};
}

/** A part of the rules, with the board beside it. @param {Game} game @param {any} lesson @param {Part} part */
function chapter(game, lesson, [title, lines, pictures = []]) {
  const shown = pictures.map((name) => figure(game, lesson, name));
  return h(
    "section",
    { className: "panel" },
    h("h2", {}, title),
    h(
      "ul",
      {},
      lines.map((line) => h("li", {}, line)),
    ),
    h("div", { className: "pictures" }, shown),
  );
}

/** A position of the lesson as a picture, drawn as in a game once it comes into sight; with `:after`, what the right
 * move makes of it. @param {Game} game @param {any} lesson @param {string} name */
function figure(game, lesson, name) {
  const [of, after] = name.split(":");
  const step = lesson.steps.find((/** @type {any} */ each) => each.name === of);
  const area = h("div", { className: "board-area", inert: true });
  const watch = new IntersectionObserver((seen) => {
    if (!seen.some((each) => each.isIntersecting)) return;
    watch.disconnect();
    const board = new game.Board(area, lesson.boards[step.game], () => {});
    board.update(after ? { ...step.after, legal: [] } : step.position);
    board.closeUp?.();
  });
  watch.observe(area);
  return h("figure", {}, area, h("figcaption", { className: "small soft" }, game.step?.(of).right));
}

/** @param {Game} game */
async function firstTable(game) {
  const quick = game.info.quick_start;
  const board = await api.board(quick.game);
  const seats = board.side_of.map((/** @type {number} */ side) =>
    side === quick.side ? { kind: "me" } : { kind: "agent", level: board.levels[0].name },
  );
  return api.newTable({ game: quick.game, seats, nickname: nickname() });
}

/** The easiest puzzles to try oneself. @param {Game} game @param {HTMLElement} tasks */
async function showPuzzles(game, tasks) {
  const all = await api.puzzles().catch(() => []);
  const mine = all.filter((/** @type {any} */ each) => each.family === game.info.name);
  if (!mine.length) return;
  tasks.hidden = false;
  const link = (/** @type {any} */ each, /** @type {number} */ i) =>
    h(
      "a",
      { className: "button", "data-route": true, href: `/puzzles/${each.id}` },
      t("learn.task", { n: i + 1, rating: each.rating }),
    );
  show(tasks, h("h2", {}, t("learn.try")), h("div", { className: "row" }, mine.slice(0, 4).map(link)));
}
