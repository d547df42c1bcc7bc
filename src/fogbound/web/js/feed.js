// The list of what happened, in sentences, with what is new since one's last turn set apart.
// @ts-check
import { h, show } from "./dom.js";
import { dotColour } from "./game-module.js";
import { t } from "./texts.js";

const SHOWN = 200;

export class Feed {
  /** @param {import("./game-module.js").Game} game @param {import("./story.js").Story} story */
  constructor(game, story) {
    this.game = game;
    this.story = story;
    this.element = h("ol", { className: "log", "aria-label": t("feed.title") });
  }

  /** @param {any} m @param {string[]} summary what matters since one's last turn */
  update(m, summary) {
    const first = Math.max(0, m.history.length - SHOWN);
    const since = m.mine.length ? this.story.sinceMine(m) : 0;
    const lines = m.history.slice(first).flatMap((/** @type {any} */ move) => {
      const line = h(
        "li",
        {},
        h("span", { className: "dot", style: { background: dotColour(this.game, move.seat) } }),
        h("span", {}, this.story.sentence(m, move)),
      );
      return since > 0 && move.number === since ? [divider(summary), line] : [line];
    });
    show(this.element, lines.length ? lines : h("li", { className: "soft" }, t("feed.none")));
    this.toEnd();
  }

  /** The newest is in sight. */
  toEnd() {
    const scrolled = /** @type {HTMLElement | null} */ (this.element.parentElement);
    if (scrolled) scrolled.scrollTop = scrolled.scrollHeight;
  }
}

/** @param {string[]} summary */
function divider(summary) {
  return h(
    "li",
    { className: "since" },
    h("strong", {}, t("feed.since")),
    summary.map((line) => h("span", {}, line)),
  );
}
