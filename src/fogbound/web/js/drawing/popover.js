// A small menu beside a place on the board: which of several moves is meant.
// @ts-check
import { h } from "../dom.js";
import { t } from "../texts.js";
import { putBeside } from "./zoom.js";

/**
 * @typedef {{code: number, text: any, style?: Record<string, string>}} Choice
 * @typedef {object} Question
 * @property {HTMLElement} area The board's area, in which the menu stays.
 * @property {{x: number, y: number}} at The place on the screen.
 * @property {string} label
 * @property {any} [above] What stands above the choices: children, or a function of what closes the menu.
 * @property {Choice[]} choices
 * @property {(code: number) => void} play
 * @property {() => void} back Where the focus goes when nothing is chosen.
 */

/** @param {Question} question */
export function ask({ area, at, label, above, choices, play, back }) {
  const cancel = () => {
    box.remove();
    back();
  };
  const item = (/** @type {Choice} */ choice) => {
    const chosen = () => {
      box.remove();
      play(choice.code);
    };
    const props = { type: "button", role: "menuitem", "data-code": choice.code, style: choice.style, onclick: chosen };
    return h("button", props, choice.text);
  };
  const menu = h("div", { className: "choices", role: "menu", "aria-label": label }, choices.map(item));
  const box = h(
    "div",
    { className: "popover", role: "dialog", "aria-label": label },
    typeof above === "function" ? above(() => box.remove()) : above,
    menu,
    h("button", { className: "quiet", type: "button", onclick: cancel }, t("board.cancel")),
  );
  box.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    const walks = step && /** @type {Element} */ (e.target).tagName === "BUTTON";
    if (e.key !== "Escape" && !walks) return;
    e.preventDefault();
    e.stopPropagation();
    if (!walks) return cancel();
    const buttons = [...box.querySelectorAll("button")];
    const from = buttons.indexOf(/** @type {any} */ (document.activeElement));
    buttons[(from + step + buttons.length) % buttons.length].focus();
  });
  area.append(box);
  putBeside(box, area, at, 14);
  /** @type {HTMLElement | null} */ (menu.querySelector("button"))?.focus();
}

/** @param {HTMLElement} area */
export function closeMenu(area) {
  area.querySelector(".popover")?.remove();
}
