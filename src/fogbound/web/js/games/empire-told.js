// What happened in a game of Eight-Minute Empire, in words: sentences, moments, news since one's turn, the end.
// @ts-check
import { h } from "../dom.js";
import { count, list } from "../words.js";

/** @typedef {import("../game-module.js").SeenMove} SeenMove */

/** What a card's action is called for a number of it: one, several. @type {Record<string, [string, string]>} */
const WORDS = {
  armies: ["new army", "new armies"],
  move: ["move", "moves"],
  sail: ["move, also by sea", "moves, also by sea"],
  city: ["city", "cities"],
  destroy: ["destroyed army", "destroyed armies"],
};

/** @param {string} action @param {number} n */
export function deed(action, n) {
  if (action === "destroy" && n === 1) return "destroy an army";
  const [one, many] = WORDS[action] || [action, action];
  return n === 1 && action === "city" ? "a city" : count(n, one, many);
}

/** A card in words. @param {any} card */
export function cardText(card) {
  const deeds = card.actions.map((/** @type {any} */ a) => deed(a.action, a.count)).join(` ${card.join} `);
  return `${card.goods > 1 ? `${card.goods} ` : ""}${card.good}, ${deeds}`;
}

export class EmpireTold {
  /** @param {any} board */
  constructor(board) {
    this.names = board.seat_names;
  }

  /** @param {SeenMove} move @param {any} before @param {any} after */
  tell(move, before, after) {
    const d = move.details;
    const who = this.names[move.seat];
    const held = this.gained(before, after);
    switch (d.kind) {
      case "card": {
        const card = before?.row[d.place - 1];
        const price = d.price ? `for ${count(d.price, "coin")}` : "for nothing";
        return `${who} took ${card ? cardText(card) : `card ${d.place} of the row`} ${price}.`;
      }
      case "use":
        return `${who} chose: ${deed(d.action, 2).replace(/^2 /, "")}.`;
      case "done":
        return `${who} was done.`;
      case "army":
      case "place":
        return `${who} placed an army in ${d.region}${held}.`;
      case "neutral":
        return `${who} placed a neutral army in ${d.region}.`;
      case "move":
        return `${who} moved an army from ${d.from} to ${d.to}${held}.`;
      case "sail":
        return `${who} sailed with an army from ${d.from} to ${d.to}${held}.`;
      case "city":
      case "build":
        return `${who} built a city in ${d.region}${held}.`;
      case "destroy":
        return `${who} destroyed an army of ${d.colour[0].toUpperCase()}${d.colour.slice(1)} in ${d.region}${held}.`;
      case "bid":
        return d.coins === null ? `${who} made a sealed bid.` : `${who} bid ${count(d.coins, "coin")}.`;
      case "start":
        return `${who} decided that ${d.colour} starts.`;
      default:
        return `${who}: ${move.text}.`;
    }
  }

  /** Who holds a region now that another or nobody held. @param {any} before @param {any} after */
  gained(before, after) {
    if (!before || !after) return "";
    const changed = Object.keys(after.regions).filter(
      (id) => after.regions[id].controlled_by !== before.regions[id].controlled_by && after.regions[id].controlled_by,
    );
    return changed.length ? `; ${list(changed.map((id) => `${after.regions[id].controlled_by} holds ${id} now`))}` : "";
  }

  /** @param {SeenMove} _move @param {any} before @param {any} after @returns {import("../moments.js").Moment | null} */
  moment(_move, before, after) {
    for (const [continent, holder] of Object.entries(after.continents))
      if (holder && holder !== before.continents[continent])
        return {
          title: `${holder} holds continent ${continent}`,
          colour: `var(--p${this.names.indexOf(holder)})`,
          sound: "conquest",
        };
    return null;
  }

  /** @param {any} before @param {any} m @returns {string[]} */
  summary(before, m) {
    if (!before || m.phase !== "playing") return [];
    const mine = m.mine.map((/** @type {number} */ seat) => this.names[seat]);
    const regions = Object.keys(m.view.regions);
    const lost = regions.filter(
      (id) => mine.includes(before.regions[id].controlled_by) && !mine.includes(m.view.regions[id].controlled_by),
    );
    const points = m.view.players.map((/** @type {any} */ p) => `${p.name} ${p.points.total}`);
    return [
      lost.length ? `You no longer hold ${list(lost)}.` : "You hold all that you held.",
      `Points: ${points.join(", ")}.`,
    ];
  }

  /** @param {any} m */
  ending(m) {
    const kinds = ["regions", "continents", "goods", "total"];
    return h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          kinds.map((kind) => h("th", { scope: "col" }, kind)),
        ),
      ),
      h(
        "tbody",
        {},
        m.view.players.map((/** @type {any} */ p) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, p.name),
            kinds.map((kind) => h("td", {}, p.points[kind])),
          ),
        ),
      ),
    );
  }
}
