// What the board editor must know of Scotland Yard: stations, and lines of several transports between them.
// @ts-check
import { h } from "../dom.js";
import { t } from "../texts.js";
import { strokes } from "./scotland-yard.js";

/** @typedef {import("../editor.js").GameEditor} GameEditor */

/** @param {any} board @param {string} id */
function station(board, id) {
  return board.stations.find((/** @type {any} */ each) => String(each.station) === id);
}

/** @param {number} n @param {number} x @param {number} y @param {number[]} ends */
function first(n, x, y, ends) {
  return { station: n, x, y, links: { taxi: ends } };
}

const RULES = {
  detectives: 2,
  rounds: 10,
  reveals: "every 3",
  tickets: { mr_x: "unlimited", detectives: "unlimited" },
};

/** @type {GameEditor} */
export default {
  blank: {
    game: "scotland-yard",
    name: "my board",
    about: "",
    transports: [{ name: "taxi" }, { name: "bus" }, { name: "underground" }],
    stations: [
      first(1, 0, 0, [2, 4]),
      first(2, 4, 0, [1, 3, 5]),
      first(3, 8, 0, [2, 6]),
      first(4, 0, 4, [1, 5, 7]),
      first(5, 4, 4, [2, 4, 6, 8]),
      first(6, 8, 4, [3, 5, 9]),
      first(7, 0, 8, [4, 8]),
      first(8, 4, 8, [5, 7, 9]),
      first(9, 8, 8, [6, 8]),
    ],
    starts: { mr_x: [1, 2, 3, 4, 5, 6, 7, 8, 9], detectives: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
    rules: RULES,
  },
  kinds: (board) => board.transports.map((/** @type {any} */ each) => each.name),
  places: (board) =>
    board.stations.map((/** @type {any} */ each) => ({
      id: String(each.station),
      x: each.x,
      y: each.y,
      label: String(each.station),
    })),
  laidOut: (drawing) => drawing.stations.map((/** @type {any} */ each) => ({ ...each, id: String(each.station) })),
  lines: (board) =>
    board.stations.flatMap((/** @type {any} */ each) =>
      Object.entries(each.links).flatMap(([kind, ends]) =>
        /** @type {number[]} */ (ends)
          .filter((end) => each.station < end)
          .map((end) => ({ from: String(each.station), to: String(end), kind })),
      ),
    ),
  strokes,
  add(board, x, y) {
    const n = 1 + Math.max(0, ...board.stations.map((/** @type {any} */ each) => each.station));
    board.stations.push({ station: n, x, y, links: {} });
    board.starts.mr_x.push(n);
    board.starts.detectives.push(n);
  },
  remove(board, id) {
    const gone = Number(id);
    board.stations = board.stations.filter((/** @type {any} */ each) => each.station !== gone);
    for (const each of board.stations)
      for (const kind of Object.keys(each.links)) {
        each.links[kind] = each.links[kind].filter((/** @type {number} */ end) => end !== gone);
        if (!each.links[kind].length) delete each.links[kind];
      }
    for (const side of ["mr_x", "detectives"])
      board.starts[side] = board.starts[side].filter((/** @type {number} */ n) => n !== gone);
  },
  move(board, id, x, y) {
    Object.assign(station(board, id), { x, y });
  },
  join(board, from, to, kind) {
    for (const [a, b] of [
      [from, to],
      [to, from],
    ]) {
      const links = station(board, a).links;
      const ends = new Set(links[kind] || []);
      if (!ends.delete(Number(b))) ends.add(Number(b));
      links[kind] = [...ends].sort((x, y) => x - y);
      if (!links[kind].length) delete links[kind];
    }
  },
  details(board, id, changed) {
    const box = (/** @type {string} */ side, /** @type {string} */ text) => {
      const input = h("input", {
        type: "checkbox",
        onchange: () => {
          const n = Number(id);
          const starts = new Set(board.starts[side]);
          if (!starts.delete(n)) starts.add(n);
          board.starts[side] = [...starts].sort((x, y) => x - y);
          changed();
        },
      });
      input.checked = board.starts[side].includes(Number(id));
      return h("label", { className: "row" }, input, text);
    };
    return [
      h("h3", {}, t("yard.editor.station", { id })),
      box("mr_x", t("yard.editor.mr-x")),
      box("detectives", t("yard.editor.detective")),
    ];
  },
};
