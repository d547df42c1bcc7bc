// Moving around on a drawn board: wheel or pinch to zoom, drag to move, buttons for both.
// @ts-check
import { h } from "../dom.js";

/**
 * Make an SVG zoomable; returns the buttons.
 * @param {SVGSVGElement} svg
 * @param {[number, number, number, number]} box
 */
export function zoomable(svg, box) {
  let [x, y, w, hgt] = box;
  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  let moved = false;
  const apply = () => svg.setAttribute("viewBox", `${x} ${y} ${w} ${hgt}`);
  /** @param {number} factor @param {number} cx @param {number} cy */
  function zoom(factor, cx, cy) {
    const next = Math.min(box[2], Math.max(box[2] / 8, w * factor));
    const ratio = next / w;
    x = cx - (cx - x) * ratio;
    y = cy - (cy - y) * ratio;
    w = next;
    hgt *= ratio;
    clamp();
  }
  function clamp() {
    x = Math.min(Math.max(x, box[0]), box[0] + box[2] - w);
    y = Math.min(Math.max(y, box[1]), box[1] + box[3] - hgt);
    apply();
  }
  /** @param {{clientX: number, clientY: number}} e */
  function at(e) {
    const m = svg.getScreenCTM();
    return m ? new DOMPoint(e.clientX, e.clientY).matrixTransform(m.inverse()) : new DOMPoint(x, y);
  }
  svg.addEventListener(
    "wheel",
    (e) => {
      e.preventDefault();
      const p = at(e);
      zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, p.x, p.y);
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
    const scale = w / svg.clientWidth;
    if (fingers.size === 1) {
      if (Math.hypot(e.clientX - before.x, e.clientY - before.y) > 4 || moved) {
        moved = true;
        x -= (e.clientX - before.x) * scale;
        y -= (e.clientY - before.y) * scale;
        clamp();
        fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
      }
      return;
    }
    const [a, b] = [...fingers.entries()]
      .filter(([id]) => id !== e.pointerId)
      .map(([, p]) => p)
      .concat(before);
    const old = Math.hypot(a.x - b.x, a.y - b.y);
    const now = Math.hypot(a.x - e.clientX, a.y - e.clientY);
    moved = true;
    fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    const p = at({ clientX: (a.x + e.clientX) / 2, clientY: (a.y + e.clientY) / 2 });
    if (now > 0) zoom(old / now, p.x, p.y);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"])
    svg.addEventListener(end, (e) => fingers.delete(/** @type {PointerEvent} */ (e).pointerId));
  svg.addEventListener(
    "click",
    (e) => {
      if (moved) {
        e.stopPropagation();
        moved = false;
      }
    },
    true,
  );
  apply();
  const centre = () => /** @type {[number, number]} */ ([x + w / 2, y + hgt / 2]);
  return h(
    "div",
    { className: "board-tools" },
    h("button", { type: "button", "aria-label": "Zoom in", onclick: () => zoom(1 / 1.4, ...centre()) }, "+"),
    h("button", { type: "button", "aria-label": "Zoom out", onclick: () => zoom(1.4, ...centre()) }, "−"),
    h(
      "button",
      {
        type: "button",
        "aria-label": "Whole board",
        onclick: () => {
          [x, y, w, hgt] = box;
          apply();
        },
      },
      "⤢",
    ),
  );
}
