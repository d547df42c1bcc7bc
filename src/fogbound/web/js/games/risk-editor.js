// What the board editor must know of Risk: territories with their borders, and the continents they belong to.
// @ts-check
import { h } from "../dom.js";
import { t } from "../texts.js";

/** @typedef {import("../editor.js").GameEditor} GameEditor */

const BORDER = "border";

/** @param {any} board @param {string} id */
function territory(board, id) {
  return board.territories.find((/** @type {any} */ each) => each.territory === id);
}

/** @param {any} board @param {string} id */
function continentOf(board, id) {
  return board.continents.findIndex((/** @type {any} */ each) => each.territories.includes(id));
}

/** @param {string} name @param {number} x @param {number} y @param {string[]} borders */
function first(name, x, y, borders) {
  return { territory: name, name: name[0].toUpperCase() + name.slice(1), x, y, borders };
}

/** @type {GameEditor} */
export default {
  blank: {
    game: "risk",
    name: "my map",
    about: "",
    territories: [
      first("north", 200, 60, ["east", "west", "middle"]),
      first("east", 340, 180, ["north", "south", "middle"]),
      first("south", 200, 300, ["east", "west", "middle"]),
      first("west", 60, 180, ["north", "south", "middle"]),
      first("middle", 200, 180, ["north", "east", "south", "west", "isle"]),
      first("isle", 480, 320, ["middle"]),
    ],
    continents: [
      { continent: "ring", name: "Ring", bonus: 3, territories: ["north", "east", "south", "west"] },
      { continent: "core", name: "Core", bonus: 1, territories: ["middle", "isle"] },
    ],
    sea: [["middle", "isle"]],
    rules: { players: 2, deal: true, round_limit: 30 },
  },
  kinds: (board) => board.continents.map((/** @type {any} */ each) => each.continent),
  places: (board) =>
    board.territories.map((/** @type {any} */ each) => ({
      id: each.territory,
      x: each.x,
      y: each.y,
      label: each.name || each.territory,
      colour: `color-mix(in srgb, var(--p${Math.max(0, continentOf(board, each.territory)) % 6}) 55%, var(--panel))`,
    })),
  laidOut: (drawing) => drawing.territories.map((/** @type {any} */ each) => ({ ...each, id: each.territory })),
  lines: (board) =>
    board.territories.flatMap((/** @type {any} */ each) =>
      each.borders
        .filter((/** @type {string} */ end) => each.territory < end)
        .map((/** @type {string} */ end) => ({ from: each.territory, to: end, kind: BORDER })),
    ),
  add(board, x, y, continent) {
    let n = board.territories.length + 1;
    while (territory(board, `land-${n}`)) n++;
    board.territories.push({ territory: `land-${n}`, name: `Land ${n}`, x, y, borders: [] });
    board.continents.find((/** @type {any} */ each) => each.continent === continent)?.territories.push(`land-${n}`);
  },
  remove(board, id) {
    const without = (/** @type {string[]} */ list) => list.filter((each) => each !== id);
    board.territories = board.territories.filter((/** @type {any} */ each) => each.territory !== id);
    for (const each of board.territories) each.borders = without(each.borders);
    for (const each of board.continents) each.territories = without(each.territories);
    board.sea = (board.sea || []).filter((/** @type {string[]} */ pair) => !pair.includes(id));
  },
  move(board, id, x, y) {
    const moved = territory(board, id);
    Object.assign(moved, { x, y });
    for (const each of board.territories) delete each.polygon; // outlines are made anew around the places
  },
  join(board, from, to) {
    for (const [a, b] of [
      [from, to],
      [to, from],
    ]) {
      const one = territory(board, a);
      const ends = new Set(one.borders);
      if (!ends.delete(b)) ends.add(b);
      one.borders = [...ends];
    }
    board.sea = (board.sea || []).filter(
      (/** @type {string[]} */ pair) =>
        !(pair.includes(from) && pair.includes(to)) || territory(board, from).borders.includes(to),
    );
  },
  paint(board, id, continent) {
    for (const each of board.continents) {
      each.territories = each.territories.filter((/** @type {string} */ other) => other !== id);
      if (each.continent === continent) each.territories.push(id);
    }
  },
  details(board, id, changed) {
    const one = territory(board, id);
    if (!one) return null;
    const name = h("input", {
      value: one.name || id,
      maxlength: 40,
      "aria-label": t("risk.editor.name"),
      onchange: () => {
        one.name = name.value.trim() || id;
        changed();
      },
    });
    const continent = board.continents[continentOf(board, id)];
    const bonus = h("input", {
      type: "number",
      min: 0,
      max: 30,
      value: continent?.bonus ?? 0,
      "aria-label": t("risk.editor.bonus", { place: continent?.name || "" }),
      onchange: () => {
        if (continent) continent.bonus = Number(bonus.value);
        changed();
      },
    });
    const more = h(
      "button",
      {
        type: "button",
        onclick: () => {
          let n = board.continents.length + 1;
          while (board.continents.some((/** @type {any} */ each) => each.continent === `continent-${n}`)) n++;
          this.paint?.(board, id, "");
          board.continents.push({ continent: `continent-${n}`, name: `Continent ${n}`, bonus: 2, territories: [id] });
          changed();
        },
      },
      t("risk.editor.continent"),
    );
    return [
      h("h3", {}, one.name || id),
      h("label", {}, t("risk.editor.name"), name),
      continent
        ? h("label", {}, t("risk.editor.bonus", { place: continent.name || continent.continent }), bonus)
        : null,
      more,
    ];
  },
};
