// What boards of areas have in common: drawing them, choosing a place or a way from one to another, hints.
// @ts-check
import { h, s, show } from "../dom.js";
import { t } from "../texts.js";
import { ask, closeMenu } from "./popover.js";
import { around, isSmall, putBeside, Zoom } from "./zoom.js";

/**
 * @typedef {{id: string, name: string, x: number, y: number, rings: number[][][]}} Area
 * @typedef {import("../game-module.js").Move} Move
 */

const WIDTH = 1000; // of every map once it is drawn, whatever units its file uses

/** Areas in the units of the drawing, and the box around them. @param {Area[]} areas */
function fitted(areas) {
  const corners = areas.flatMap((a) => a.rings.flat().map(([x, y]) => ({ x, y })));
  const [x, y, w, hgt] = around(corners, 0);
  const scale = WIDTH / Math.max(w, hgt, 1e-9);
  const move = (/** @type {number} */ px, /** @type {number} */ py) => [(px - x) * scale, (py - y) * scale];
  const moved = areas.map((a) => {
    const [ax, ay] = move(a.x, a.y);
    const rings = a.rings.map((ring) => ring.map(([px, py]) => move(px, py).map((v) => Math.round(v * 10) / 10)));
    return { ...a, x: ax, y: ay, rings };
  });
  const edge = WIDTH * 0.02;
  const box = [-edge, -edge, w * scale + 2 * edge, hgt * scale + 2 * edge];
  return { areas: moved, box: /** @type {[number, number, number, number]} */ (box) };
}

/** A line that stops short of the pieces at its ends. @param {Area} a @param {Area} b @param {number} off */
function between(a, b, off) {
  const far = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [dx, dy] = [((b.x - a.x) / far) * Math.min(off, far / 4), ((b.y - a.y) / far) * Math.min(off, far / 4)];
  return `M${a.x + dx} ${a.y + dy}L${b.x - dx} ${b.y - dy}`;
}

export const MAP_STYLES = new URL("map.css", import.meta.url).pathname;

export class MapBoard {
  /** @param {HTMLElement} area @param {any} board @param {(code: number) => void} play @param {Area[]} areas */
  constructor(area, board, play, areas) {
    this.area = area;
    this.board = board;
    this.play = play;
    const drawn = fitted(areas);
    this.areas = drawn.areas;
    this.box = drawn.box;
    /** The typical width of an area. */
    this.unit = Math.sqrt((this.box[2] * this.box[3]) / areas.length);
    this.place = new Map(this.areas.map((a) => [a.id, a]));
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
    /** What a small screen looks at. */
    this.looked = "";
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
  /** What stands above the buttons of a choice. @param {Move[]} _moves @param {() => void} _done @returns {any} */
  chooser(_moves, _done) {
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
      { className: "board map", role: "group", "aria-label": t("board.label") },
      this.under,
      this.land,
      this.over,
    );
    for (const area of this.areas) this.land.append(this.shape(area));
    this.decorate(this.under, this.over);
    this.arrow = s("path", { className: "last-way", "stroke-width": this.unit * 0.028, "marker-end": "url(#head)" });
    this.over.append(
      s(
        "defs",
        {},
        s(
          "marker",
          { id: "head", viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 4, markerHeight: 4, orient: "auto" },
          s("path", { d: "M0 0L10 5L0 10z", fill: "var(--lit)" }),
        ),
      ),
      this.arrow,
    );
    this.tip = h("div", { className: "tip", hidden: true });
    this.foot = h("div", { className: "board-foot" });
    /** @type {Zoom} */
    this.zoom = new Zoom(this.svg, this.box);
    show(this.area, this.svg, this.zoom.tools, this.tip, this.foot);
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

  /** Whether two areas have a piece of border in common. @param {string} a @param {string} b */
  touch(a, b) {
    const corners = (/** @type {string} */ id) => (this.place.get(id)?.rings || []).flat().map((p) => p.join(" "));
    const here = new Set(corners(a));
    return corners(b).filter((corner) => here.has(corner)).length > 1;
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
      closeMenu(this.area);
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
      const target = this.selected !== null && to.has(id);
      node.setAttribute(
        "class",
        `area${can ? " legal" : ""}${target ? " target" : ""}${id === this.selected ? " selected" : ""}`,
      );
      node.setAttribute("aria-label", this.spoken(id));
      if (can || id === this.selected) {
        node.setAttribute("tabindex", "0");
        node.setAttribute("role", "button");
      } else {
        // What has the focus keeps it: the keyboard's place on the board is not lost when the turn passes on.
        if (node === document.activeElement) node.setAttribute("tabindex", "-1");
        else node.removeAttribute("tabindex");
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
    this.litNames(from, to);
    this.showLast();
    this.lookAround([...from, ...to]);
    show(this.foot, this.bar());
    this.foot.hidden = !this.foot.childNodes.length;
  }

  /** On a small screen only the names of what matters are shown. @param {Set<any>} from @param {Set<any>} to */
  litNames(from, to) {
    for (const text of this.over.querySelectorAll("[data-name]")) {
      const id = text.getAttribute("data-name");
      const lit = id === this.selected || (this.selected ? to.has(id) : from.has(id) || to.has(id));
      text.classList.toggle("lit", lit);
    }
  }

  /** The newest move, as an arrow or a marked area. */
  showLast() {
    const last = this.message?.history?.[this.message.history.length - 1];
    const { from, to } = last ? this.way(last) : {};
    const [a, b] = [this.place.get(from || ""), this.place.get(to || "")];
    const drawn = a && b && Math.abs(a.x - b.x) < this.box[2] * 0.6;
    this.arrow.setAttribute("d", drawn ? between(a, b, this.unit * 0.15) : "");
    if (b && !this.legal.length) this.nodes.get(b.id)?.classList.add("last");
  }

  /** On a small screen, what can be chosen is brought near enough to hit. @param {string[]} choices */
  lookAround(choices) {
    if (!isSmall(this.area)) return;
    const ids = this.selected ? [this.selected, ...this.targets()] : choices;
    const key = ids.join();
    if (key === this.looked) return;
    this.looked = key;
    const places = ids.map((id) => /** @type {Area} */ (this.place.get(id)));
    const near = around(places.length ? places : this.areas, this.unit * 0.9);
    this.zoom?.look(near[2] < this.box[2] * 0.7 ? near : this.box);
  }

  /** Looks at the places of the newest move, if it had any. */
  closeUp() {
    const last = this.message?.history?.[this.message.history.length - 1];
    const { from, to } = last ? this.way(last) : {};
    const places = [from, to].flatMap((id) => this.place.get(id || "") || []);
    if (places.length) this.zoom?.look(around(places, this.unit * 1.2));
  }

  /** Where one can go from the chosen place. @returns {string[]} */
  targets() {
    const ways = this.legal.map((move) => this.way(move)).filter((w) => w.from === this.selected && w.to);
    return [...new Set(ways.map((w) => /** @type {string} */ (w.to)))];
  }

  /** @param {string|null} id */
  select(id) {
    this.selected = id;
    closeMenu(this.area);
    this.refresh();
    this.onSelect?.();
  }

  /** @param {string} id */
  click(id) {
    closeMenu(this.area);
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
    ask({
      area: this.area,
      at: this.onScreen(id),
      label: t("board.moves-to", { place: this.place.get(id)?.name }),
      above: (/** @type {() => void} */ done) => [this.question(moves), this.chooser(moves, done)].flat(),
      choices: moves.map((m) => ({ code: m.code, text: this.button(m) })),
      play: this.play,
      back: () => this.nodes.get(id)?.focus?.(),
    });
  }

  /** Where an area's middle is on the screen. @param {string} id */
  onScreen(id) {
    const { x, y } = /** @type {Area} */ (this.place.get(id));
    const matrix = this.svg.getScreenCTM();
    return matrix ? new DOMPoint(x, y).matrixTransform(matrix) : new DOMPoint(0, 0);
  }

  /** @param {Area} area */
  explain(area) {
    if (!this.message || this.area.querySelector(".popover")) return;
    this.hinted = area.id;
    show(this.tip, this.hint(area));
    this.tip.hidden = false;
    putBeside(this.tip, this.area, this.onScreen(area.id), 22);
  }

  /** @param {Record<string, number>|null} _belief */
  setBelief(_belief) {}

  /** @param {Move} move */
  highlight(move) {
    const { from, to } = this.way(move);
    for (const id of [from, to]) if (id) this.nodes.get(id)?.classList.add("hinted");
  }

  /** Marks what a move in the list would touch. @param {Move | null} move */
  point(move) {
    for (const node of this.nodes.values()) node.classList.remove("pointed");
    const { from, to } = move ? this.way(move) : {};
    for (const id of [from, to]) if (id) this.nodes.get(id)?.classList.add("pointed");
  }

  /** The moves for the list: those of the chosen place, else those that need none, then all. @param {Move[]} legal */
  listed(legal) {
    if (this.selected) return legal.filter((m) => this.way(m).from === this.selected);
    const plain = legal.filter((m) => !this.way(m).to);
    return [...plain, ...legal.filter((m) => this.way(m).to)];
  }
}
