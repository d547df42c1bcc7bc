// The exact value of a position, on boards that are solved.
// @ts-check
import { h } from "./dom.js";

const percent = (/** @type {number} */ v) => `${(v * 100).toFixed(1)}%`;

/** What perfect play makes of a position. @param {any} exact */
export function exactPanel(exact) {
  if (!exact) return null;
  if (exact.solving) return h("section", { className: "panel exact" }, h("h3", {}, "Exact value"), h("p", { className: "soft small" }, "This board is small enough to be solved: that is being done ..."));
  const label = `The detectives win with ${percent(exact.value)}`;
  return h(
    "section",
    { className: "panel exact" },
    h("h3", {}, "Exact value"),
    h("div", {}, h("strong", {}, label), " if both sides play perfectly from here on"),
    h("div", { className: "bar", role: "img", "aria-label": label }, h("div", { style: { width: percent(exact.value) } })),
    exact.revealed === undefined || exact.revealed === null ? null : h("p", { className: "small soft" }, `Where Mr X really was, it was ${percent(exact.revealed)}.`),
    h("div", { className: "best", style: { "margin-top": ".5rem" } }, exact.moves.slice(0, 8).map((/** @type {any} */ m) => [h("span", {}, m.text), h("span", { title: "your side wins with this move" }, percent(m.value)), h("span", { className: "soft" }, m.share > 0.0005 ? `played ${percent(m.share)}` : "not played")])),
    h("p", { className: "small soft" }, `Solved to ${exact.tolerance}: how often the side to move wins after each move, and how often a perfect player makes it.`),
  );
}
