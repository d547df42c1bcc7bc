// The panel that shows what the computer thinks of a position.
// @ts-check
import { api } from "./api.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { number, served, t } from "./texts.js";

/**
 * @typedef {import("./game-module.js").Game} Game
 * @typedef {import("./game-module.js").GameBoard} GameBoard
 * @typedef {import("./game-module.js").Move} Move
 * @typedef {import("./game-module.js").Reason} Reason
 */

/** A share in percent. @param {number|null|undefined} v */
function percent(v) {
  return v === null || v === undefined ? "" : number(v, { style: "percent", maximumFractionDigits: 0 });
}

/** How much the computer likes a move: how often a search tried it, or how often it would play it. @param {any} move */
function liking(move) {
  if (move.visits) return t("analysis.visits", { n: move.visits });
  return move.chance ? t("analysis.played", { share: percent(move.chance) }) : "";
}

/**
 * The choice of who is asked: the strongest player of the game, or another agent.
 * @param {string} spec @param {(agent: string | null) => void} chosen
 */
export function analystChoice(spec, chosen) {
  const select = h(
    "select",
    { "aria-label": t("analysis.who"), onchange: () => chosen(select.value || null) },
    h("option", { value: "" }, t("analysis.strongest")),
  );
  const option = (/** @type {any} */ agent) =>
    h("option", { value: agent.name, title: served(agent.about) }, agent.name);
  api.agents(spec).then(
    (/** @type {any[]} */ agents) => select.append(...agents.map(option)),
    () => {}, // of a board that only this table knows
  );
  return select;
}

/** What the computer thinks. @param {Game} game @param {GameBoard} board @param {any} found @param {boolean} myTurn */
export function analysisPanel(game, board, found, myTurn) {
  if (!found)
    return h(
      "section",
      { className: "panel" },
      h("h3", {}, t("analysis.title")),
      h("p", { className: "soft small" }, myTurn ? t("analysis.thinking") : t("analysis.later")),
    );
  if (!found.moves.length)
    return h(
      "section",
      { className: "panel" },
      h("h3", {}, t("analysis.title")),
      h("p", { className: "soft small" }, t("analysis.nothing")),
    );
  const value = found.value;
  const line = (found.line || []).map((/** @type {string} */ text, /** @type {number} */ i) => {
    const move = { code: -1, text, details: found.line_details[i] };
    return board.moveText?.(move, i ? null : undefined) || text; // only the first is made in this position
  });
  return [
    found.exact ? game.exact?.(found.exact) : null,
    h(
      "section",
      { className: "panel" },
      h("h3", {}, t("analysis.by", { name: found.by })),
      value === null || value === undefined
        ? null
        : [
            h("div", { className: "small soft" }, t("analysis.result", { share: percent(value) })),
            h(
              "div",
              { className: "bar", role: "img", "aria-label": t("analysis.result", { share: percent(value) }) },
              h("div", { style: { width: `${100 * value}%` } }),
            ),
          ],
      h(
        "div",
        { className: "best", style: { "margin-top": ".5rem" } },
        found.moves
          .slice(0, 6)
          .map((/** @type {any} */ m) => [
            h("span", {}, board.moveText?.(m) || m.text),
            h("span", {}, percent(m.value)),
            h("span", { className: "soft" }, liking(m)),
          ]),
      ),
      line.length ? h("p", { className: "small soft" }, t("analysis.line", { moves: line.join(", ") })) : null,
    ),
  ];
}

/** A good move and why it is one. @param {GameBoard} board @param {Move} move @param {Reason[]} why */
export function hintNote(board, move, why) {
  const box = h(
    "section",
    { className: "hint" },
    h(
      "button",
      { type: "button", className: "quiet shut", "aria-label": t("table.close"), onclick: () => box.remove() },
      icon("close"),
    ),
    h("strong", {}, t("table.hint", { move: board.moveText?.(move) || move.text })),
    h(
      "ul",
      {},
      why.map((reason) => h("li", {}, board.why?.(reason) || reason.text)),
    ),
  );
  return box;
}
