// Learning a game: its rules with pictures, and a first game in which every step is told.
// @ts-check
import { api } from "./api.js";
import { h, show, toast } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { coachAgain } from "./help.js";
import { go } from "./main.js";
import { nickname } from "./names.js";
import { whileCompiling } from "./progress.js";
import { t } from "./texts.js";

/** @param {HTMLElement} page @param {string} family */
export async function open(page, family) {
  const game = await loadGame(family);
  const rules = game.rules(game.info);
  const wait = h("div", { role: "status" });
  const board = h("div", { className: "panel board-area lesson-board" });
  const tasks = h("section", { className: "panel", hidden: true });
  const start = h("button", { className: "primary", type: "button", onclick: () => begin() }, t("learn.start"));
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
          h("p", { className: "soft" }, game.info.about),
        ),
      ),
      h(
        "section",
        { className: "panel lesson" },
        h("h2", {}, t("learn.lesson")),
        h("p", {}, t("learn.lesson.about")),
        h(
          "ol",
          {},
          (game.lessons || []).map(([text]) => h("li", {}, t(text))),
        ),
        h("div", { className: "row" }, start, wait),
      ),
      board,
      rules.parts.map(([title, lines]) =>
        h(
          "section",
          { className: "panel" },
          h("h2", {}, title),
          h(
            "ul",
            {},
            lines.map((line) => h("li", {}, line)),
          ),
        ),
      ),
      tasks,
    ),
  );
  showPuzzles(game, board, tasks);

  async function begin() {
    start.disabled = true;
    coachAgain(game);
    try {
      go(`/table/${await whileCompiling(wait, lessonTable(game))}`);
    } catch (error) {
      toast(String(/** @type {Error} */ (error).message));
      start.disabled = false;
    }
  }
  return () => {};
}

/** The usual game against a beginner. @param {any} game */
async function lessonTable(game) {
  const quick = game.info.quick_start;
  const board = await api.board(quick.game);
  const seats = board.side_of.map((/** @type {number} */ side) =>
    side === quick.side ? { kind: "me" } : { kind: "agent", level: board.levels[0].name },
  );
  return api.newTable({ game: quick.game, seats, nickname: nickname() });
}

/** A position as a picture of what the rules speak of, and the easiest puzzles to try oneself.
 * @param {any} game @param {HTMLElement} area @param {HTMLElement} tasks */
async function showPuzzles(game, area, tasks) {
  const all = await api.puzzles().catch(() => []);
  const mine = all.filter((/** @type {any} */ each) => each.family === game.info.name);
  if (!mine.length) return area.remove();
  tasks.hidden = false;
  show(
    tasks,
    h("h2", {}, t("learn.try")),
    h(
      "div",
      { className: "row" },
      mine
        .slice(0, 4)
        .map((/** @type {any} */ each, /** @type {number} */ i) =>
          h(
            "a",
            { className: "button", "data-route": true, href: `/puzzles/${each.id}` },
            t("learn.task", { n: i + 1, rating: each.rating }),
          ),
        ),
    ),
  );
  const { board, position } = await api.puzzle(mine[0].id, null);
  new game.Board(area, board, () => {}).update({ ...position, legal: [] });
  return undefined;
}
