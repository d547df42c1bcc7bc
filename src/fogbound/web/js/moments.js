// Moments that count: a banner over the board, and at the end a card with what became of the game.
// @ts-check
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./texts.js";
import { capital } from "./words.js";

export const BANNER_MILLISECONDS = 2400;

/**
 * Something that happened and counts. `sound` is one of sounds.js.
 * @typedef {{title: string, text?: string, colour?: string, sound?: string}} Moment
 */

/** @param {HTMLElement} area @param {Moment} moment */
export function showMoment(area, moment) {
  area.querySelector(".moment")?.remove();
  const box = h(
    "div",
    { className: "moment", style: { "--colour": moment.colour || "var(--accent)" }, "aria-hidden": "true" },
    h("strong", {}, moment.title),
    moment.text ? h("span", {}, moment.text) : null,
  );
  area.append(box);
  setTimeout(() => box.remove(), BANNER_MILLISECONDS);
}

/**
 * The card at the end: who won, why, how it went, and what to do next.
 * @param {HTMLElement} area
 * @param {string} title
 * @param {any} children
 */
export function showEnding(area, title, children) {
  area.querySelector(".ending")?.remove();
  const [head, ...reason] = title.split(": ");
  const box = h(
    "section",
    { className: "ending", "aria-label": t("ending.title") },
    h(
      "button",
      { type: "button", className: "quiet shut", "aria-label": t("ending.look"), onclick: () => box.remove() },
      icon("close"),
    ),
    h("h2", {}, head),
    reason.length ? h("p", {}, `${capital(reason.join(": "))}.`) : null,
    children,
  );
  area.append(box);
  return box;
}
