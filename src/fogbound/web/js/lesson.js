// A lesson: fixed positions, one after the other. Each asks for a move, says why it is right, and why others are not.
// @ts-check
import { h } from "./dom.js";
import { isSmall } from "./drawing/zoom.js";
import { Study } from "./study.js";
import { t } from "./texts.js";

/** @typedef {import("./game-module.js").Game} Game */

/**
 * Give a lesson; `done` is called when it is over.
 * @param {HTMLElement} page
 * @param {Game} game
 * @param {{boards: Record<string, any>, steps: any[]}} lesson
 * @param {() => void} done
 */
export function give(page, game, lesson, done) {
  const words = /** @type {NonNullable<Game["step"]>} */ (game.step);

  function open(/** @type {number} */ at) {
    const step = lesson.steps[at];
    const { ask, right, wrong } = words(step.name);
    const last = at === lesson.steps.length - 1;
    const count = t("learn.step", { at: at + 1, all: lesson.steps.length });
    const head = h("h1", {}, h("span", { className: "soft small" }, count), h("br"), ask);
    const study = new Study(page, game, lesson.boards[step.game], head, (code) => answer(code));
    study.say(showMe());
    study.update(step.position);

    function answer(/** @type {number} */ code) {
      if (!step.right.includes(code)) return study.say(h("h2", {}, t("learn.wrong")), h("p", {}, wrong), showMe());
      study.update({ ...step.after, legal: [] });
      if (isSmall(study.area)) study.view.closeUp?.();
      const on = last ? button(t("learn.play"), done) : button(t("learn.next"), () => open(at + 1));
      study.say(h("h2", {}, t("learn.right")), h("p", {}, right), h("div", { className: "row" }, on));
      on.focus();
      return undefined;
    }

    function showMe() {
      return h("div", { className: "row" }, button(t("learn.show"), reveal));
    }

    function reveal() {
      const move = step.position.legal.find((/** @type {any} */ each) => each.code === step.right[0]);
      study.say(h("p", {}, t("table.hint", { move: study.view.moveText?.(move) || move.text })));
      study.view.highlight?.(move);
    }
  }
  open(0);
}

/** @param {string} text @param {() => void} act */
function button(text, act) {
  return h("button", { type: "button", className: "primary", onclick: act }, text);
}
