// Scenery under the lines of London: a river through the ferry's stations, and parks where no line runs. Our own
// drawing, in the units of the board's file.
// @ts-check
import { s } from "../dom.js";

/** @typedef {[number, number]} Point */

/** @type {Point[]} */
const RIVER = [
  [205, 800],
  [255, 742],
  [335, 688],
  [420, 655],
  [520, 632],
  [588, 564],
  [598, 510],
  [574, 440],
  [605, 344],
  [668, 330],
  [765, 352],
  [863, 396],
  [928, 384],
  [1060, 412],
];
/** Middles of the parks, half their width and height, and how they lie. @type {number[][]} */
const PARKS = [
  [148, 398, 118, 44, -2],
  [192, 42, 44, 24, 12],
  [906, 66, 42, 26, -10],
  [714, 556, 38, 28, 30],
  [512, 716, 58, 20, 0],
  [300, 62, 26, 30, 20],
  [238, 668, 34, 22, -24],
];

/** Whether stations are those of London. @param {{station: number, x: number, y: number}[]} stations */
function isLondon(stations) {
  const [first, last] = [stations[0], stations[stations.length - 1]];
  return stations.length === 199 && first.x === 124 && first.y === 30 && last.station === 199;
}

/**
 * What lies under the lines, placed by the same scaling as the stations.
 * @param {{station: number, x: number, y: number}[]} stations as the file has them
 * @param {(x: number, y: number) => number[]} place
 */
export function scenery(stations, place) {
  if (!isLondon(stations)) return [];
  const scale = place(1, 0)[0] - place(0, 0)[0];
  const parks = PARKS.map(([x, y, rx, ry, turn]) => {
    const [cx, cy] = place(x, y);
    const shape = blob(rx * scale, ry * scale, x);
    return s("path", { className: "park", d: shape, transform: `translate(${cx} ${cy}) rotate(${turn})` });
  });
  const d = curve(RIVER.map(([x, y]) => place(x, y)));
  return [
    parks,
    s("path", { className: "bank", d, "stroke-width": 40 * scale }),
    s("path", { className: "river", d, "stroke-width": 34 * scale }),
  ];
}

/** A smooth line through points (Catmull and Rom). @param {number[][]} points */
function curve(points) {
  let d = `M${points[0].join(" ")}`;
  for (let i = 0; i + 1 < points.length; i++) {
    const [a, b, c, e] = [
      points[Math.max(0, i - 1)],
      points[i],
      points[i + 1],
      points[Math.min(points.length - 1, i + 2)],
    ];
    const one = [b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6];
    const two = [c[0] - (e[0] - b[0]) / 6, c[1] - (e[1] - b[1]) / 6];
    d += `C${[...one, ...two, ...c].map((v) => v.toFixed(1)).join(" ")}`;
  }
  return d;
}

/** A rounded shape that is not quite an ellipse. @param {number} rx @param {number} ry @param {number} seed */
function blob(rx, ry, seed) {
  const points = Array.from({ length: 9 }, (_, i) => {
    const angle = (i / 9) * 2 * Math.PI;
    const far = 1 + 0.16 * Math.sin(seed + 2.7 * i);
    return [rx * far * Math.cos(angle), ry * far * Math.sin(angle)];
  });
  return `${curve([...points, points[0], points[1]])}Z`;
}
