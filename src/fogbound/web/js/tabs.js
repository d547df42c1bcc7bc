// A row of tabs and what each shows; arrow keys walk along the row.
// @ts-check
import { h } from "./dom.js";

/** @typedef {[string, string, HTMLElement]} Tab its name, its title, what it shows */

export class Tabs {
  /** @param {string} label @param {Tab[]} tabs */
  constructor(label, tabs) {
    this.heads = new Map();
    this.panels = new Map();
    for (const [name, title, panel] of tabs) {
      const head = h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${name}`,
          "aria-controls": `panel-${name}`,
          onclick: () => this.open(name),
        },
        title,
      );
      this.heads.set(name, head);
      this.panels.set(
        name,
        h("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: "0" }, panel),
      );
    }
    const row = h("div", { role: "tablist", "aria-label": label, onkeydown: (/** @type {any} */ e) => this.key(e) }, [
      ...this.heads.values(),
    ]);
    this.element = h("section", { className: "panel tabs" }, row, [...this.panels.values()]);
    /** Called when another tab is opened. @type {(name: string) => void} */
    this.onOpen = () => {};
    this.name = tabs[0][0];
    this.open(this.name);
  }

  /** @param {string} name */
  open(name) {
    if (!this.heads.has(name) || this.heads.get(name).hidden) return;
    this.name = name;
    for (const [each, head] of this.heads) {
      head.setAttribute("aria-selected", String(each === name));
      head.setAttribute("tabindex", each === name ? "0" : "-1");
      this.panels.get(each).hidden = each !== name;
    }
    this.mark(name, "");
    this.onOpen(name);
  }

  /** @param {string} name */
  remove(name) {
    this.heads.get(name)?.remove();
    this.panels.get(name)?.remove();
    this.heads.delete(name);
    this.panels.delete(name);
    if (this.name === name) this.open(this.shown()[0]);
  }

  /** A tab is not needed while what it shows stands elsewhere. @param {string} name @param {boolean} hidden */
  hide(name, hidden) {
    this.heads.get(name).hidden = hidden;
    if (hidden && this.name === name) this.open(this.shown()[0]);
  }

  shown() {
    return [...this.heads.keys()].filter((name) => !this.heads.get(name).hidden);
  }

  /** A word beside a tab's title: how many are new. @param {string} name @param {string} word */
  mark(name, word) {
    const head = this.heads.get(name);
    head.querySelector(".mark")?.remove();
    if (word) head.append(h("span", { className: "mark" }, word));
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    e.stopPropagation();
    const names = this.shown();
    this.open(names[(names.indexOf(this.name) + step + names.length) % names.length]);
    this.heads.get(this.name).focus();
  }
}
