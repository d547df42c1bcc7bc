// The front page: the games, "play now", today's puzzle, and the games that go on.
// @ts-check
import { api, tokens } from "./api.js";
import { h, show, toast } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { openHelp } from "./help.js";
import { go } from "./main.js";
import { nickname } from "./names.js";
import { whileCompiling } from "./progress.js";
import { served, t } from "./texts.js";

/** @typedef {import("./game-module.js").Game} Game */

/** @param {HTMLElement} page */
export async function open(page) {
  const games = await Promise.all((await api.games()).map((/** @type {any} */ info) => loadGame(info.name)));
  const going = h("section", { className: "going", "aria-label": t("front.going"), hidden: true });
  show(
    page,
    h(
      "section",
      { className: "hero" },
      h("h1", {}, t("front.title")),
      h("p", { className: "soft" }, t("front.about")),
      h(
        "div",
        { className: "row centre" },
        link("/puzzles", t("front.puzzle")),
        link("/games", t("nav.games")),
        link("/editor", t("nav.editor")),
      ),
    ),
    h("section", { className: "games", "aria-label": t("front.games") }, games.map(card)),
    going,
  );
  await showGoing(going, new Map(games.map((game) => [game.info.name, game])));
  return () => {};
}

/** @param {string} href @param {string} text */
function link(href, text) {
  return h("a", { className: "button", "data-route": true, href }, text);
}

/** Tables where this browser sits and nothing is decided yet.
 * @param {HTMLElement} area @param {Map<string, Game>} games */
async function showGoing(area, games) {
  const asked = tokens.recent().slice(0, 6);
  const found = await Promise.all(asked.map((id) => api.table(id).catch(() => null)));
  const mine = found.filter((table) => table && table.phase !== "over" && games.has(table.family));
  if (!mine.length) return;
  area.hidden = false;
  show(
    area,
    h("h2", {}, t("front.going")),
    h(
      "div",
      { className: "row" },
      mine.map((table) => goOn(table, games)),
    ),
  );
}

/** @param {any} table @param {Map<string, Game>} games */
function goOn(table, games) {
  const where = table.phase === "waiting" ? t("table.waiting") : t("table.move", { n: table.moves });
  return h(
    "a",
    { className: "button row", "data-route": true, href: `/table/${table.id}` },
    h("span", { className: "thumb" }, picture(/** @type {Game} */ (games.get(table.family)))),
    h(
      "span",
      {},
      h("strong", {}, t("front.go-on")),
      h("span", { className: "soft small" }, ` ${table.name || table.spec.split(":")[0]}, ${where}`),
    ),
  );
}

/** @param {Game} game */
function card(game) {
  const wait = h("div", { role: "status" });
  const { name, title, quick_start: quick } = game.info;
  return h(
    "article",
    { className: "panel game-card" },
    picture(game),
    h(
      "div",
      { className: "body" },
      h("h2", {}, title),
      h("p", {}, served(quick.about)),
      h(
        "div",
        { className: "row" },
        h(
          "button",
          { className: "primary", type: "button", onclick: (/** @type {Event} */ e) => playNow(game, e, wait) },
          t("front.play"),
        ),
        link(`/new/${name}`, t("front.choose")),
        link(`/learn/${name}`, t("front.learn")),
        h("button", { className: "quiet", type: "button", onclick: () => openHelp(game) }, t("front.rules")),
      ),
      wait,
    ),
  );
}

/** @param {Game} game @param {Event} event @param {HTMLElement} wait */
async function playNow(game, event, wait) {
  const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
  if (button.disabled) return;
  button.disabled = true;
  try {
    go(`/table/${await whileCompiling(wait, quickTable(game))}`);
  } catch (error) {
    toast(String(/** @type {Error} */ (error).message));
    button.disabled = false;
  }
}

/** The usual game against the usual opponent. @param {Game} game */
async function quickTable(game) {
  const quick = game.info.quick_start;
  const board = await api.board(quick.game);
  const level = board.default_level;
  const seats = board.side_of.map((/** @type {number} */ side) =>
    side === quick.side ? { kind: "me" } : { kind: "agent", level },
  );
  return api.newTable({ game: quick.game, seats, nickname: nickname() });
}
