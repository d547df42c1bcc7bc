// Moving around on a drawn board: wheel or pinch to zoom, drag to move, buttons for both, and looking at a part of it.
// @ts-check
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { t } from "../texts.js";

/** @typedef {[number, number, number, number]} Box x, y, width, height */

const NEAREST = 8; // how many times larger than the whole board
const GLIDE = 350; // milliseconds
const LEGIBLE = 8.5; // pixels: names that would be smaller grow

/**
 * An SVG that can be zoomed. It always fills its element: what is seen has the element's proportions.
 */
export class Zoom {
  /** @param {SVGSVGElement} svg @param {Box} board */
  constructor(svg, board) {
    this.svg = svg;
    this.board = board;
    /** @type {Box} */
    this.view = board;
    /** What should be seen; the whole board if nothing else was asked for. @type {Box} */
    this.wanted = board;
    this.byHand = false;
    this.glide = 0;
    this.listen();
    this.set(board);
    new ResizeObserver(() => this.resized()).observe(svg);
    this.tools = h(
      "div",
      { className: "board-tools" },
      this.button("plus", t("board.zoom-in"), () => this.zoomMiddle(1 / 1.4)),
      this.button("minus", t("board.zoom-out"), () => this.zoomMiddle(1.4)),
      this.button("whole", t("board.whole"), () => this.look(this.board)),
    );
  }

  /** @param {any} sign @param {string} label @param {() => void} act */
  button(sign, label, act) {
    const onclick = () => {
      this.byHand = true;
      act();
    };
    return h("button", { type: "button", "aria-label": label, title: label, onclick }, icon(sign));
  }

  /** Look at a part of the board, gliding there. @param {Box} box */
  look(box) {
    this.wanted = box;
    const to = this.fitted(box);
    const from = this.view;
    cancelAnimationFrame(this.glide);
    const still = document.documentElement.dataset.motion === "off" || !this.svg.clientWidth;
    if (still || from.every((value, i) => Math.abs(value - to[i]) < to[2] / 200)) return this.set(to);
    const start = performance.now();
    const step = (/** @type {number} */ now) => {
      const t = Math.min(1, (now - start) / GLIDE);
      const eased = t * t * (3 - 2 * t);
      this.set(/** @type {Box} */ (from.map((value, i) => value + (to[i] - value) * eased)));
      if (t < 1) this.glide = requestAnimationFrame(step);
    };
    this.glide = requestAnimationFrame(step);
  }

  /** A box grown to the element's proportions, around the same middle. @param {Box} box @returns {Box} */
  fitted([x, y, w, hgt]) {
    const ratio = this.svg.clientWidth / Math.max(1, this.svg.clientHeight) || w / hgt;
    const width = Math.max(w, hgt * ratio);
    const height = width / ratio;
    return this.clamped([x + w / 2 - width / 2, y + hgt / 2 - height / 2, width, height]);
  }

  /** No view leaves the board, except where the board is smaller than the view. @param {Box} box @returns {Box} */
  clamped([x, y, w, hgt]) {
    const [bx, by, bw, bh] = this.board;
    const within = (
      /** @type {number} */ at,
      /** @type {number} */ size,
      /** @type {number} */ low,
      /** @type {number} */ all,
    ) => (size >= all ? low + (all - size) / 2 : Math.min(Math.max(at, low), low + all - size));
    return [within(x, w, bx, bw), within(y, hgt, by, bh), w, hgt];
  }

  /** @param {Box} view */
  set(view) {
    this.view = view;
    this.svg.setAttribute("viewBox", view.join(" "));
    const size = Number(this.svg.querySelector(".names")?.getAttribute("font-size"));
    const pixels = (size * this.svg.clientWidth) / view[2];
    this.svg.style.setProperty("--grow", pixels ? String(Math.max(1, LEGIBLE / pixels)) : "1");
  }

  resized() {
    if (!this.byHand) this.set(this.fitted(this.wanted));
    else this.set(this.fitted(this.view));
  }

  /** @param {number} factor @param {number} cx @param {number} cy */
  zoom(factor, cx, cy) {
    cancelAnimationFrame(this.glide);
    const most = this.fitted(this.board)[2];
    const [x, y, w, hgt] = this.view;
    const ratio = Math.min(most, Math.max(most / NEAREST, w * factor)) / w;
    this.byHand = true;
    this.set(this.clamped([cx - (cx - x) * ratio, cy - (cy - y) * ratio, w * ratio, hgt * ratio]));
  }

  /** @param {number} factor */
  zoomMiddle(factor) {
    const [x, y, w, hgt] = this.view;
    this.zoom(factor, x + w / 2, y + hgt / 2);
  }

  /** @param {{clientX: number, clientY: number}} e */
  at(e) {
    const m = this.svg.getScreenCTM();
    return m ? new DOMPoint(e.clientX, e.clientY).matrixTransform(m.inverse()) : new DOMPoint(...this.view);
  }

  listen() {
    const { svg } = this;
    /** @type {Map<number, {x: number, y: number}>} */
    const fingers = new Map();
    let moved = false;
    svg.addEventListener(
      "wheel",
      (e) => {
        e.preventDefault();
        const p = this.at(e);
        this.zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, p.x, p.y);
      },
      { passive: false },
    );
    svg.addEventListener("pointerdown", (e) => {
      fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
      moved = false;
    });
    svg.addEventListener("pointermove", (e) => {
      const before = fingers.get(e.pointerId);
      if (!before) return;
      const [x, y, w, hgt] = this.view;
      const now = { x: e.clientX, y: e.clientY };
      if (fingers.size === 1) {
        if (Math.hypot(now.x - before.x, now.y - before.y) <= 4 && !moved) return;
        moved = this.byHand = true;
        const scale = w / svg.clientWidth;
        this.set(this.clamped([x - (now.x - before.x) * scale, y - (now.y - before.y) * scale, w, hgt]));
        fingers.set(e.pointerId, now);
        return;
      }
      const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1] || before;
      const old = Math.hypot(other.x - before.x, other.y - before.y);
      const far = Math.hypot(other.x - now.x, other.y - now.y);
      moved = true;
      fingers.set(e.pointerId, now);
      const p = this.at({ clientX: (other.x + now.x) / 2, clientY: (other.y + now.y) / 2 });
      if (far > 0) this.zoom(old / far, p.x, p.y);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"])
      svg.addEventListener(end, (e) => fingers.delete(/** @type {PointerEvent} */ (e).pointerId));
    svg.addEventListener(
      "click",
      (e) => {
        if (!moved) return;
        e.stopPropagation();
        moved = false;
      },
      true,
    );
  }
}

/** Make an SVG zoomable; the buttons for it. @param {SVGSVGElement} svg @param {Box} board */
export function zoomable(svg, board) {
  return new Zoom(svg, board).tools;
}

/** The box around points, with room at its edges. @param {{x: number, y: number}[]} points @param {number} room */
export function around(points, room) {
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const [x, y] = [Math.min(...xs) - room, Math.min(...ys) - room];
  return /** @type {Box} */ ([x, y, Math.max(...xs) + room - x, Math.max(...ys) + room - y]);
}

/**
 * Put a box beside a place on the screen, always inside the area, so that all of it can be reached.
 * @param {HTMLElement} box
 * @param {HTMLElement} area
 * @param {{x: number, y: number}} at
 * @param {number} gap
 */
export function putBeside(box, area, at, gap) {
  const base = area.getBoundingClientRect();
  const place = (/** @type {number} */ want, /** @type {number} */ size, /** @type {number} */ room) =>
    Math.max(4, Math.min(want, room - size - 6));
  box.style.left = `${place(at.x - base.left + gap, box.offsetWidth, base.width)}px`;
  box.style.top = `${place(at.y - base.top + gap, box.offsetHeight, base.height)}px`;
}

/** Whether the board is so small that one must look at a part of it to hit anything. @param {Element} area */
export function isSmall(area) {
  return area.clientWidth < 600;
}
