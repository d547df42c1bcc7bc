// What boards of areas have in common: drawing them, choosing a place or a way from one to another, hints.
// @ts-check
import { h, s, show } from "../dom.js";
import { zoomable } from "./zoom.js";

/**
 * @typedef {{id: string, name: string, x: number, y: number, rings: number[][][]}} Area
 * @typedef {import("../game-module.js").Move} Move
 */

export const MAP_STYLES = new URL("map.css", import.meta.url).pathname;

export class MapBoard {
  /** @param {HTMLElement} area @param {any} board @param {(code: number) => void} play @param {Area[]} areas */
  constructor(area, board, play, areas) {
    this.area = area;
    this.board = board;
    this.play = play;
    this.areas = areas;
    this.place = new Map(areas.map((a) => [a.id, a]));
    /** @type {Map<string, any>} */
    this.nodes = new Map();
    /** @type {Move[]} */
    this.legal = [];
    /** @type {string|null} */
    this.selected = null;
    /** @type {null | (() => void)} */
    this.onSelect = null;
    /** @type {any} */
    this.message = null;
    this.draw();
  }

  // What each game says of itself.

  /** @param {Move} _move @returns {{from?: string, to?: string}} */
  way(_move) {
    return {};
  }
  /** @param {Move} move @returns {any} */
  button(move) {
    return move.text;
  }
  /** @param {Move[]} _moves @returns {any} */
  question(_moves) {
    return null;
  }
  /** @param {Area} area @returns {any} */
  hint(area) {
    return h("strong", {}, area.name);
  }
  /** The colour of the area's continent. @param {Area} _area @returns {string} */
  tint(_area) {
    return "var(--line)";
  }
  /** @param {string} _id @returns {string} */
  spoken(_id) {
    return "";
  }
  /** How good a place is to come from, where several lead to a target. @param {string} _id */
  strength(_id) {
    return 0;
  }
  /** Things under and over the areas. @param {any} _under @param {any} _over */
  decorate(_under, _over) {}
  paint() {}
  /** @returns {any} */
  bar() {
    return null;
  }

  draw() {
    this.under = s("g", { "aria-hidden": "true" });
    this.land = s("g", {});
    this.over = s("g", { "aria-hidden": "true", className: "over" });
    this.svg = s(
      "svg",
      { className: "board map", role: "group", "aria-label": "The board" },
      this.under,
      this.land,
      this.over,
    );
    for (const area of this.areas) this.land.append(this.shape(area));
    this.decorate(this.under, this.over);
    this.tip = h("div", { className: "tip", hidden: true });
    this.foot = h("div", { className: "board-foot" });
    show(this.area, this.svg, zoomable(this.svg, this.board.drawing.box), this.tip, this.foot);
    this.svg.addEventListener("click", (/** @type {MouseEvent} */ e) => {
      if (e.target === this.svg) this.select(null);
    });
  }

  /** @param {Area} area */
  path(area) {
    return area.rings.map((ring) => `M${ring.map(([x, y]) => `${x} ${y}`).join("L")}Z`).join("");
  }

  /** The lines where areas of different continents meet. */
  divides() {
    /** @type {Map<string, any>} */
    const seen = new Map();
    let d = "";
    for (const area of this.areas) {
      const continent = /** @type {any} */ (area).continent;
      for (const ring of area.rings) {
        ring.forEach((p, i) => {
          const q = ring[(i + 1) % ring.length];
          const key = [p.join(" "), q.join(" ")].sort().join("L");
          if (seen.has(key) && seen.get(key) !== continent) d += `M${key}`;
          seen.set(key, continent);
        });
      }
    }
    return s("path", { className: "divide", d });
  }

  /** @param {Area} area */
  shape(area) {
    const node = s("path", {
      className: "area",
      d: this.path(area),
      "data-area": area.id,
      "fill-rule": "evenodd",
      style: { "--tint": this.tint(area) },
    });
    node.addEventListener("click", () => this.click(area.id));
    node.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        this.click(area.id);
      }
    });
    node.addEventListener("pointerenter", () => this.explain(area));
    node.addEventListener("focus", () => this.explain(area));
    for (const away of ["pointerleave", "blur"])
      node.addEventListener(away, () => {
        this.tip.hidden = true;
      });
    this.nodes.set(area.id, node);
    return node;
  }

  /** @param {any} message */
  update(message) {
    if (!this.message || this.message.version !== message.version) {
      this.area.querySelector(".popover")?.remove();
      this.tip.hidden = true;
    }
    this.before = this.message;
    this.message = message;
    this.legal = message.legal || [];
    if (this.selected && !this.legal.some((m) => this.way(m).from === this.selected)) this.selected = null;
    this.refresh();
  }

  refresh() {
    const from = new Set();
    const to = new Set();
    for (const move of this.legal) {
      const way = this.way(move);
      if (way.from) {
        if (way.from === this.selected) to.add(way.to);
        else from.add(way.from);
      } else if (way.to) to.add(way.to);
    }
    for (const [id, node] of this.nodes) {
      const can = from.has(id) || to.has(id);
      node.setAttribute(
        "class",
        `area${can ? " legal" : ""}${to.has(id) ? " target" : ""}${id === this.selected ? " selected" : ""}`,
      );
      node.setAttribute("aria-label", this.spoken(id));
      if (can || id === this.selected) {
        node.setAttribute("tabindex", "0");
        node.setAttribute("role", "button");
      } else {
        node.removeAttribute("tabindex");
        node.setAttribute("role", "img");
      }
    }
    // Lit areas come last, so that their outlines are not hidden by neighbours.
    const focus = document.activeElement;
    const lit = [...this.nodes.values()].filter(
      (n) => n.classList.contains("legal") || n.classList.contains("selected"),
    );
    if (!lit.includes(/** @type {any} */ (focus))) for (const node of lit) this.land.append(node);
    this.paint();
    show(this.foot, this.bar());
    this.foot.hidden = !this.foot.childNodes.length;
  }

  /** @param {string|null} id */
  select(id) {
    this.selected = id;
    this.area.querySelector(".popover")?.remove();
    this.refresh();
    this.onSelect?.();
  }

  /** @param {string} id */
  click(id) {
    this.area.querySelector(".popover")?.remove();
    const ways = this.legal.map((move) => ({ move, ...this.way(move) }));
    const here = ways.filter((w) => w.to === id);
    const chosen = here.filter((w) => w.from === undefined || w.from === this.selected);
    if (chosen.length)
      return this.choose(
        id,
        chosen.map((w) => w.move),
      );
    if (id === this.selected) return this.select(null);
    if (ways.some((w) => w.from === id)) return this.select(id);
    if (!here.length) return this.select(null);
    const sources = [...new Set(here.map((w) => /** @type {string} */ (w.from)))].sort(
      (a, b) => this.strength(b) - this.strength(a),
    );
    this.select(sources[0]);
    this.choose(
      id,
      here.filter((w) => w.from === sources[0]).map((w) => w.move),
    );
  }

  /** One way to do it is done at once, several are asked for. @param {string} id @param {Move[]} moves */
  choose(id, moves) {
    if (moves.length === 1) return this.play(moves[0].code);
    this.tip.hidden = true;
    const close = () => {
      box.remove();
      this.nodes.get(id)?.focus?.();
    };
    const box = h(
      "div",
      { className: "popover", role: "menu" },
      this.question(moves),
      h(
        "div",
        { className: "choices" },
        moves.map((m) =>
          h(
            "button",
            {
              type: "button",
              role: "menuitem",
              "data-code": m.code,
              onclick: () => {
                box.remove();
                this.play(m.code);
              },
            },
            this.button(m),
          ),
        ),
      ),
      h("button", { className: "quiet", type: "button", onclick: close }, "cancel"),
    );
    box.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
      if (e.key === "Escape") {
        e.stopPropagation();
        close();
      }
    });
    this.area.append(box);
    this.put(box, id, 14);
    box.querySelector("button")?.focus();
  }

  /** Put a box beside an area, inside the board. @param {HTMLElement} box @param {string} id @param {number} gap */
  put(box, id, gap) {
    const { x, y } = /** @type {Area} */ (this.place.get(id));
    const matrix = this.svg.getScreenCTM();
    const at = matrix ? new DOMPoint(x, y).matrixTransform(matrix) : new DOMPoint(0, 0);
    const base = this.area.getBoundingClientRect();
    const left = at.x - base.left + gap;
    const top = at.y - base.top + gap;
    box.style.left = `${Math.max(4, Math.min(left, base.width - box.offsetWidth - 6))}px`;
    box.style.top = `${Math.max(4, Math.min(top, base.height - box.offsetHeight - 6))}px`;
  }

  /** @param {Area} area */
  explain(area) {
    if (!this.message || this.area.querySelector(".popover")) return;
    this.hinted = area.id;
    show(this.tip, this.hint(area));
    this.tip.hidden = false;
    this.put(this.tip, area.id, 22);
  }

  /** @param {Record<string, number>|null} _belief */
  setBelief(_belief) {}

  /** @param {Move} move */
  highlight(move) {
    const { from, to } = this.way(move);
    for (const id of [from, to]) if (id) this.nodes.get(id)?.classList.add("hinted");
  }

  /** The moves for the list: those of the chosen place, else those that need none, then all. @param {Move[]} legal */
  listed(legal) {
    if (this.selected) return legal.filter((m) => this.way(m).from === this.selected);
    const plain = legal.filter((m) => !this.way(m).to);
    return [...plain, ...legal.filter((m) => this.way(m).to)];
  }
}
