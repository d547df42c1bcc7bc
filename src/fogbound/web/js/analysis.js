// The panel that shows what the computer thinks of a position.
// @ts-check
import { h } from "./dom.js";

/** @typedef {import("./game-module.js").Game} Game */

/** A share in percent. @param {number|null|undefined} v */
function percent(v) {
  return v === null || v === undefined ? "" : `${Math.round(v * 100)}%`;
}

/** How much the computer likes a move: how often a search tried it, or how often it would play it. @param {any} move */
function liking(move) {
  if (move.visits) return `${move.visits} visits`;
  return move.chance ? `played ${percent(move.chance)}` : "";
}

/** What the computer thinks. @param {Game} game @param {any} found @param {boolean} myTurn */
export function analysisPanel(game, found, myTurn) {
  if (!found)
    return h(
      "section",
      { className: "panel" },
      h("h3", {}, "Analysis"),
      h("p", { className: "soft small" }, myTurn ? "Thinking ..." : "It thinks when it is your turn."),
    );
  if (!found.moves.length)
    return h(
      "section",
      { className: "panel" },
      h("h3", {}, "Analysis"),
      h("p", { className: "soft small" }, "Nothing to decide here."),
    );
  const value = found.value;
  return [
    found.exact ? game.exact?.(found.exact) : null,
    h(
      "section",
      { className: "panel" },
      h("h3", {}, `Analysis by ${found.by}`),
      value === null || value === undefined
        ? null
        : [
            h("div", { className: "small soft" }, `Expected result ${percent(value)}`),
            h(
              "div",
              { className: "bar", role: "img", "aria-label": `Expected result ${percent(value)}` },
              h("div", { style: { width: percent(value) } }),
            ),
          ],
      h(
        "div",
        { className: "best", style: { "margin-top": ".5rem" } },
        found.moves
          .slice(0, 6)
          .map((/** @type {any} */ m) => [
            h("span", {}, m.text),
            h("span", {}, percent(m.value)),
            h("span", { className: "soft" }, liking(m)),
          ]),
      ),
      found.line?.length ? h("p", { className: "small soft" }, `Expected: ${found.line.join(", ")}`) : null,
    ),
  ];
}
