// What the board editor must know of Eight-Minute Empire: tiles in a grid, or regions with their ways.
// @ts-check
import { h, s } from "../dom.js";
import { t } from "../texts.js";

/** @typedef {import("../editor.js").GameEditor} GameEditor */

const WATER = "W";
const LETTERS = /** @type {Record<string, string>} */ ({ ground: "G", water: WATER, start: "S" });
const LAND = "land";
const SEA = "sea";
const COLOURS = /** @type {Record<string, string>} */ ({
  W: "var(--sea)",
  G: "var(--land)",
  S: "color-mix(in srgb, var(--p3) 45%, var(--panel))",
});

/** @param {any} board @param {string} id @param {string} letter */
function setTile(board, id, letter) {
  const [column, row] = id.split(",").map(Number);
  const line = board.tiles[row];
  board.tiles[row] = line.slice(0, column) + letter + line.slice(column + 1);
  delete board.tokens; // they lie on regions that may not be there any more
}

/** @param {any} board */
function tiles(board) {
  return board.tiles.flatMap((/** @type {string} */ line, /** @type {number} */ row) =>
    [...line].map((letter, column) => ({
      id: `${column},${row}`,
      x: column * 6,
      y: row * 6,
      label: `${String.fromCharCode(65 + column)}${row + 1}`,
      colour: COLOURS[letter] || "var(--raised)",
    })),
  );
}

/** @param {any} board @param {string} id */
function region(board, id) {
  return board.regions.find((/** @type {any} */ each) => each.region === id);
}

/** @param {any} board @returns {string[]} */
function continents(board) {
  return [...new Set(/** @type {string[]} */ (board.regions.map((/** @type {any} */ each) => each.continent)))];
}

/** @param {any} board */
function regions(board) {
  const known = continents(board);
  return board.regions.map((/** @type {any} */ each) => ({
    id: each.region,
    x: each.x,
    y: each.y,
    label: each.region,
    colour: `color-mix(in srgb, var(--p${known.indexOf(each.continent) % 6}) 55%, var(--panel))`,
  }));
}

/** @type {GameEditor} */
export default {
  grid: (board) => Boolean(board.tiles),
  blank: {
    game: "empire",
    name: "my board",
    about: "",
    tiles: ["WGGW", "GSGW", "WGWG", "WWGG"],
    rules: { players: 2 },
  },
  kinds: (board) => (board.tiles ? Object.keys(LETTERS) : [LAND, SEA]),
  places: (board) => (board.tiles ? tiles(board) : regions(board)),
  laidOut: (drawing) => drawing.regions.map((/** @type {any} */ each) => ({ ...each, id: each.region })),
  strokes: (kind, d, size) =>
    s("path", {
      d,
      stroke: kind === SEA ? "var(--fog)" : "var(--soft)",
      "stroke-width": size * 0.28,
      "stroke-dasharray": kind === SEA ? `${size * 0.6} ${size * 0.5}` : null,
    }),
  lines: (board) =>
    (board.regions || []).flatMap((/** @type {any} */ each) =>
      [LAND, SEA].flatMap((kind) =>
        (each[kind] || [])
          .filter((/** @type {string} */ end) => each.region < end)
          .map((/** @type {string} */ end) => ({ from: each.region, to: end, kind })),
      ),
    ),
  add(board, x, y) {
    let n = board.regions.length + 1;
    while (region(board, `R${n}`)) n++;
    board.regions.push({ region: `R${n}`, continent: continents(board)[0], x, y, land: [] });
  },
  remove(board, id) {
    if (board.tiles) return setTile(board, id, WATER);
    board.regions = board.regions.filter((/** @type {any} */ each) => each.region !== id);
    for (const each of board.regions)
      for (const kind of [LAND, SEA])
        if (each[kind]) each[kind] = each[kind].filter((/** @type {string} */ end) => end !== id);
    return undefined;
  },
  move(board, id, x, y) {
    Object.assign(region(board, id), { x, y });
  },
  join(board, from, to, kind) {
    for (const [a, b] of [
      [from, to],
      [to, from],
    ]) {
      const ends = new Set(region(board, a)[kind] || []);
      if (!ends.delete(b)) ends.add(b);
      region(board, a)[kind] = [...ends];
    }
  },
  paint(board, id, kind) {
    if (board.tiles) setTile(board, id, LETTERS[kind]);
  },
  details(board, id, changed) {
    const one = board.regions ? region(board, id) : null;
    if (!one) return null;
    const continent = h("input", {
      value: one.continent,
      maxlength: 20,
      "aria-label": t("empire.editor.continent"),
      onchange: () => {
        one.continent = continent.value.trim() || one.continent;
        changed();
      },
    });
    return [h("h3", {}, id), h("label", {}, t("empire.editor.continent"), continent)];
  },
};
