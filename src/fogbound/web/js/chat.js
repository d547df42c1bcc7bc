// The chat of a table: to everybody, or to one's own side where that is a team.
// @ts-check
import { h, show } from "./dom.js";
import { t } from "./texts.js";

export class Chat {
  /** @param {(text: string, team: boolean) => void} send */
  constructor(send) {
    this.lines = h("div", { className: "chat-lines" });
    this.input = h("input", { placeholder: t("chat.say"), maxlength: 500, "aria-label": t("chat.say") });
    this.to = h(
      "select",
      { "aria-label": t("chat.to"), hidden: true },
      h("option", { value: "all" }, t("chat.to-all")),
      h("option", { value: "team" }, t("chat.to-team")),
    );
    /** When the newest line that was looked at was said. @type {number | null} */
    this.seen = null;
    const say = (/** @type {Event} */ e) => {
      e.preventDefault();
      const text = this.input.value.trim();
      if (text) send(text, !this.to.hidden && this.to.value === "team");
      this.input.value = "";
    };
    this.element = h(
      "div",
      { className: "chat" },
      this.lines,
      h("form", { className: "chat-form", onsubmit: say }, this.to, this.input, h("button", {}, t("chat.send"))),
    );
  }

  /** How many lines came since the chat was looked at last. @param {any} m @param {boolean} looking */
  update(m, looking) {
    const side = m.mine.length ? m.seats[m.mine[0]].side : null;
    const mate = (/** @type {any} */ seat) =>
      seat.side === side && seat.kind === "person" && !m.mine.includes(seat.seat);
    this.to.hidden = !m.seats.some(mate);
    const line = (/** @type {any} */ said) =>
      h(
        "div",
        { className: said.team ? "team" : "" },
        h("strong", {}, `${said.from}${said.team ? ` ${t("chat.said-to-team")}` : ""}: `),
        said.text,
      );
    show(this.lines, m.chat.length ? m.chat.map(line) : h("p", { className: "soft small" }, t("chat.none")));
    this.lines.scrollTop = this.lines.scrollHeight;
    const newest = m.chat[m.chat.length - 1]?.time || 0;
    const seen = looking || this.seen === null ? newest : this.seen;
    this.seen = seen;
    return m.chat.filter((/** @type {any} */ said) => said.time > seen).length;
  }
}
