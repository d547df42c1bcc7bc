// Rules in short, one click away, and a coach for the first game.
// @ts-check
import { dialog, h } from "./dom.js";
import { t } from "./texts.js";

/** @typedef {import("./game-module.js").Game} Game */

/** @param {Game} game */
export function openHelp(game) {
  const rules = game.rules(game.info);
  const box = dialog(
    h(
      "div",
      { className: "help-text" },
      h("h2", {}, rules.title),
      rules.parts.map(([title, lines]) => [
        h("h3", {}, title),
        h(
          "ul",
          {},
          lines.map((line) => h("li", {}, line)),
        ),
      ]),
    ),
    h(
      "div",
      { className: "actions" },
      h("a", { className: "button", href: `/learn/${game.info.name}`, target: "_blank" }, t("help.all")),
      h("button", { className: "primary", type: "button", onclick: () => box.close() }, t("help.done")),
    ),
  );
}

/** Advice for a first game: one thing at a time, until it was done or put away. */
export class Coach {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.key = `fogbound:coached:${game.info.name}`;
    this.off = localStorage.getItem(this.key) === "yes";
  }

  /** @param {any} m */
  panel(m) {
    if (this.off || m.phase !== "playing") return null;
    const turn = m.mine.includes(m.to_move);
    const advice = this.game.advice?.(m, turn);
    return h(
      "section",
      { className: "panel coach" },
      h(
        "div",
        { className: "row spread" },
        h("h3", {}, t("help.first")),
        h(
          "button",
          { className: "quiet small", type: "button", onclick: (/** @type {Event} */ e) => this.putAway(e) },
          t("help.no-more"),
        ),
      ),
      advice ? h("p", { className: "small" }, advice) : null,
      this.lessons(m),
    );
  }

  /** @param {any} m */
  lessons(m) {
    const mine = m.history.filter((/** @type {any} */ x) => m.mine.includes(x.seat));
    const done = (this.game.lessons || []).map(([text, test]) => ({ text, done: test(m, mine) }));
    const now = done.findIndex((lesson) => !lesson.done);
    return h(
      "ol",
      { className: "lessons small" },
      done.map((lesson, i) =>
        h(
          "li",
          { className: lesson.done ? "done" : i === now ? "now" : "", "aria-current": i === now ? "step" : null },
          h("span", { "aria-hidden": "true" }, lesson.done ? "✓" : i === now ? "▸" : "·"),
          ` ${t(lesson.text)}`,
          lesson.done ? h("span", { className: "unseen" }, ` ${t("help.lesson-done")}`) : null,
        ),
      ),
    );
  }

  /** @param {Event} e */
  putAway(e) {
    this.off = true;
    localStorage.setItem(this.key, "yes");
    /** @type {HTMLElement} */ (e.target).closest(".coach")?.remove();
  }
}

/** Let the coach help again in the next game. @param {Game} game */
export function coachAgain(game) {
  localStorage.removeItem(`fogbound:coached:${game.info.name}`);
}
