// Who sits where: me, a friend, a level with its rating, or any agent with its options as a form.
// @ts-check
import { api } from "./api.js";
import { control, written } from "./controls.js";
import { h, show } from "./dom.js";
import { served, t, tOr } from "./texts.js";

/** @typedef {{kind: string, level?: string, agent?: string}} Wish */

const OWN = "own";

/** A level with its rating, if it has one on this board. @param {any} level */
function levelText(level) {
  return tOr(`level.${level.name}`, level.title) + (level.rating === null ? "" : ` (${level.rating})`);
}

/** The choice of a player for a side or a seat. */
export class Chooser {
  /** @param {string} name @param {string} spec @param {any[]} levels @param {string} value @param {string} key */
  constructor(name, spec, levels, value, key) {
    this.spec = spec;
    /** @type {import("./controls.js").Control[]} */
    this.controls = [];
    this.agent = "";
    this.form = h("div", { className: "agent-form", hidden: true });
    this.levels = levels;
    this.about = h("p", { className: "soft small about", "aria-live": "polite" });
    this.select = h(
      "select",
      { "data-side": key, "aria-label": t("setup.who", { name }), onchange: () => this.changed() },
      h("option", { value: "me" }, t("setup.me")),
      h("option", { value: "open" }, t("setup.friend")),
      h(
        "optgroup",
        { label: t("setup.levels") },
        levels.map((level) => h("option", { value: `agent:${level.name}` }, levelText(level))),
      ),
      h("option", { value: OWN }, t("setup.any")),
    );
    this.select.value = value;
    this.line = h(
      "div",
      { className: "seat-line" },
      h("span", {}, name),
      h("div", {}, this.select, this.about, this.form),
    );
    this.changed();
  }

  /** What stands in the select, to be set again after a change of the board. */
  value() {
    return this.select.value;
  }

  /** @returns {Wish} */
  wish() {
    const value = this.select.value;
    if (value === OWN) {
      const options = written(this.controls).join(",");
      return { kind: "agent", agent: this.agent + (options ? `:${options}` : "") };
    }
    return value.startsWith("agent:") ? { kind: "agent", level: value.slice(6) } : { kind: value };
  }

  async changed() {
    const level = this.levels.find((each) => `agent:${each.name}` === this.select.value);
    show(this.about, level ? served(level.about) : "");
    this.form.hidden = this.select.value !== OWN;
    if (this.form.hidden || this.agent) return;
    const agents = await api.agents(this.spec);
    const about = h("p", { className: "soft small" });
    const options = h("div", { className: "fields" });
    const pick = h(
      "select",
      { "aria-label": t("setup.agent"), onchange: () => choose(pick.value) },
      agents.map((/** @type {any} */ each) => h("option", { value: each.name }, each.name)),
    );
    const choose = (/** @type {string} */ name) => {
      const agent = agents.find((/** @type {any} */ each) => each.name === name);
      this.agent = name;
      const made = agent.options.map((/** @type {any} */ option) => control(option, () => {}));
      this.controls = made.filter(Boolean);
      show(
        about,
        served(agent.about),
        agent.source ? h("em", {}, ` ${t("setup.from", { source: agent.source })}`) : null,
      );
      show(
        options,
        this.controls.map((each) => each.line),
      );
    };
    const first = agents.find((/** @type {any} */ each) => each.name === "mcts") || agents[0];
    pick.value = first.name;
    choose(first.name);
    show(this.form, pick, about, h("details", {}, h("summary", {}, t("setup.options")), options));
  }
}
