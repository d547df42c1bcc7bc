// What happened in a game of Scotland Yard, in words: sentences, moments, news since one's last turn, the end.
// @ts-check
import { h } from "../dom.js";
import { count, list } from "../words.js";

/** @typedef {import("../game-module.js").SeenMove} SeenMove */

/** How a ticket is spoken of in a sentence. @type {Record<string, string>} */
const BY = {
  taxi: "took a taxi",
  bus: "took the bus",
  underground: "took the underground",
  tram: "took the tram",
  walk: "walked",
  ferry: "took the ferry",
  black: "used a black ticket",
};

export class YardTold {
  /** @param {any} board */
  constructor(board) {
    this.names = board.seat_names;
    this.reveals = new Set(board.drawing.reveals);
  }

  /** @param {SeenMove} move @param {any} before @param {any} after */
  tell(move, before, after) {
    const { station, ticket, double } = move.details;
    const who = this.names[move.seat];
    if (ticket === "pass") return `${who} could not move.`;
    const how = `${BY[ticket] || `used a ${ticket} ticket`}${station === null ? "" : ` to ${station}`}`;
    const twice = double ? " and moves twice" : "";
    const seen = this.revealed(move, before, after) ? " and showed himself" : "";
    const caught = after?.winner === "Detectives" ? ": Mr X is caught" : "";
    return `${who} ${how}${twice}${seen}${caught}.`;
  }

  /** Whether Mr X showed himself with this move. @param {SeenMove} move @param {any} before @param {any} after */
  revealed(move, before, after) {
    return move.seat === 0 && Boolean(before && after) && this.reveals.has(after.log_slots);
  }

  /** @param {SeenMove} move @param {any} before @param {any} after @returns {import("../moments.js").Moment | null} */
  moment(move, before, after) {
    if (!this.revealed(move, before, after)) return null;
    return { title: `Mr X is at ${after.last_seen}`, text: "He shows himself", colour: "var(--p0)", sound: "reveal" };
  }

  /** @param {any} _before @param {any} m @param {SeenMove[]} moves @returns {string[]} */
  summary(_before, m, moves) {
    const tickets = moves.filter((move) => move.seat === 0).map((move) => move.details.ticket);
    if (!tickets.length || m.phase !== "playing") return [];
    const places = m.view.possible.length;
    return [`Mr X's way: ${list(tickets)}. He can be at ${count(places, "station")}.`];
  }

  /** His whole way, and what was used. @param {any} m */
  ending(m) {
    const way = m.history.filter((/** @type {any} */ x) => x.seat === 0 && x.details.station !== null);
    const used = new Map();
    for (const { details } of way) used.set(details.ticket, (used.get(details.ticket) || 0) + 1);
    const seen = [...this.reveals].filter((slot) => slot <= way.length).length;
    return [
      h("p", { className: "small" }, "Mr X's way: ", way.map((/** @type {any} */ x) => x.details.station).join(" → ")),
      h(
        "p",
        { className: "small soft" },
        `${count(way.length, "move")} of Mr X: ${list([...used].map(([name, n]) => `${n} by ${name}`))}. `,
        `He showed himself ${count(seen, "time")}.`,
      ),
    ];
  }
}
