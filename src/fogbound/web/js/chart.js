// Small charts drawn as SVG: a line for each side over the moves of a game, bars with their intervals.
// @ts-check
import { s } from "./dom.js";

/** @typedef {{name: string, colour: string, points: {x: number, y: number}[]}} Line */

const WIDTH = 720;
const HEIGHT = 220;
const EDGE = 44;

/** Lines of values between 0 and 1; a click on the chart chooses the nearest place.
 * @param {Line[]} lines @param {number} longest @param {string} label @param {(x: number) => void} chosen
 * @param {{x: number, y: number, label: string}[]} marks */
export function lines(lines, longest, label, chosen, marks) {
  const x = (/** @type {number} */ at) => EDGE + ((WIDTH - EDGE - 8) * at) / Math.max(1, longest);
  const y = (/** @type {number} */ value) => 8 + (HEIGHT - 30) * (1 - value);
  const svg = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, className: "chart", role: "img", "aria-label": label },
    [0, 0.5, 1].map((value) => [
      s("line", { x1: EDGE, x2: WIDTH - 8, y1: y(value), y2: y(value), className: "grid" }),
      s("text", { x: EDGE - 6, y: y(value) + 4, "text-anchor": "end" }, `${value * 100}%`),
    ]),
    lines.map((line) =>
      s("polyline", {
        points: line.points.map((p) => `${x(p.x)},${y(p.y)}`).join(" "),
        fill: "none",
        stroke: line.colour,
        "stroke-width": 2.5,
      }),
    ),
    marks.map((mark) =>
      s("circle", { cx: x(mark.x), cy: y(mark.y), r: 6, className: "mark" }, s("title", {}, mark.label)),
    ),
  );
  svg.addEventListener("click", (/** @type {MouseEvent} */ e) => {
    const box = svg.getBoundingClientRect();
    const at = ((e.clientX - box.left) / box.width) * WIDTH;
    chosen(Math.round(((at - EDGE) / (WIDTH - EDGE - 8)) * longest));
  });
  return svg;
}

/** A bar from 0 to 1 with the ends of its 95% interval.
 * @param {number} share @param {number} games @param {string} label */
export function share(share, games, label) {
  const [low, high] = wilson(share, games);
  return s(
    "svg",
    { viewBox: "0 0 300 26", className: "share", role: "img", "aria-label": label },
    s("rect", { x: 0, y: 7, width: 300, height: 12, rx: 5, className: "empty" }),
    s("rect", { x: 0, y: 7, width: 300 * share, height: 12, rx: 5, className: "full" }),
    s("line", { x1: 300 * low, x2: 300 * high, y1: 13, y2: 13, className: "interval" }),
    [low, high].map((at) => s("line", { x1: 300 * at, x2: 300 * at, y1: 3, y2: 23, className: "interval" })),
  );
}

/** The 95% interval of a share, by Wilson. @param {number} p @param {number} n @returns {[number, number]} */
export function wilson(p, n) {
  const z = 1.96;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const reach = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)];
}
