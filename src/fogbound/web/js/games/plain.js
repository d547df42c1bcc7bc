// Any game that brings no drawing of its own: the public state as a table, the legal moves as buttons.
// @ts-check
import { h, s, show } from "../dom.js";
import { fog } from "../drawing/fog.js";
import { t } from "../texts.js";

/** @typedef {import("../game-module.js").Position} Position */

class PlainBoard {
  /** @param {HTMLElement} area @param {any} board @param {(code: number) => void} play */
  constructor(area, board, play) {
    this.area = area;
    this.board = board;
    this.play = play;
  }

  /** @param {Position} position */
  update(position) {
    const moves = position.legal.map((move) =>
      h("button", { type: "button", "data-code": move.code, onclick: () => this.play(move.code) }, move.text),
    );
    const foot = moves.length
      ? h("div", { className: "board-foot", role: "group", "aria-label": t("table.your-moves") }, moves)
      : null;
    show(
      this.area,
      h("div", { className: "plain-board" }, h("div", { className: "plain-state" }, told(position.view)), foot),
    );
  }

  setBelief() {}

  wallet() {
    return [];
  }

  panels() {
    return [];
  }
}

/**
 * Any JSON value, for people: objects and lists of objects as tables, other lists in a row.
 * @param {any} value
 * @returns {any}
 */
function told(value) {
  if (value === null || value === undefined) return h("span", { className: "soft" }, t("plain.unknown"));
  if (typeof value === "boolean") return value ? t("setup.yes") : t("setup.no");
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return list(value);
  return h(
    "table",
    {},
    h(
      "tbody",
      {},
      Object.entries(value).map(([key, part]) =>
        h("tr", {}, h("th", { scope: "row" }, spaced(key)), h("td", {}, told(part))),
      ),
    ),
  );
}

/** @param {any[]} values */
function list(values) {
  if (!values.length) return h("span", { className: "soft" }, t("plain.none"));
  const rows = values.filter((value) => value && typeof value === "object" && !Array.isArray(value));
  if (rows.length < values.length)
    return h(
      "ul",
      { className: "plain-list" },
      values.map((value) => h("li", {}, told(value))),
    );
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        keys.map((key) => h("th", { scope: "col" }, spaced(key))),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map((row) =>
        h(
          "tr",
          {},
          keys.map((key) => h("td", {}, told(row[key]))),
        ),
      ),
    ),
  );
}

/** @param {string} key */
function spaced(key) {
  return key.replaceAll("_", " ");
}

/** Two cards in the fog, and the game's first letter. @param {import("../game-module.js").GameInfo} info */
function picture(info) {
  const card = {
    x: -34,
    y: -50,
    width: 68,
    height: 100,
    rx: 9,
    fill: "var(--panel)",
    stroke: "var(--accent)",
    "stroke-width": 2.5,
  };
  const sign = { "text-anchor": "middle", y: 14, "font-size": 40, "font-weight": 800 };
  return [
    s(
      "g",
      { transform: "translate(128 92) rotate(-9)" },
      s("rect", card),
      s("text", { ...sign, fill: "var(--text)" }, info.title[0]),
    ),
    s(
      "g",
      { transform: "translate(196 92) rotate(8)" },
      s("rect", card),
      s("text", { ...sign, fill: "var(--soft)" }, "?"),
    ),
    fog(),
  ];
}

/** @type {import("../game-module.js").Complete} */
export default {
  Board: PlainBoard,
  styles: [new URL("plain.css", import.meta.url).pathname],
  picture,
  rules: (info) => ({
    title: info.title,
    parts: [
      [t("plain.game"), [info.about]],
      [t("plain.here"), [t("plain.here.1"), t("plain.here.2")]],
    ],
  }),
};
