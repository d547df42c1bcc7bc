// What happened in a game of Scotland Yard, in words: sentences, moments, news since one's last turn, the end.
// @ts-check
import { h } from "../dom.js";
import { served, t, tOr } from "../texts.js";
import { list } from "../words.js";

/** @typedef {import("../game-module.js").SeenMove} SeenMove */

/** A ticket's name in the reader's language; a board may have others. @param {string} ticket */
export function ticketName(ticket) {
  return tOr(`yard.ticket.${ticket}`, ticket);
}

/** How a ticket is spoken of in a sentence. @param {string} ticket */
function ride(ticket) {
  return tOr(`yard.took.${ticket}`, t("yard.used", { ticket }));
}

/** All stations where Mr X has been, as far as they are known. @param {any} m @returns {number[]} */
export function wayOfX(m) {
  const moves = m.history.filter((/** @type {SeenMove} */ move) => move.seat === 0);
  const stations = [m.start?.stations[0], ...moves.map((/** @type {SeenMove} */ move) => move.details.station)];
  return stations.filter((station) => station !== null && station !== undefined);
}

export class YardTold {
  /** @param {any} board */
  constructor(board) {
    this.names = board.seat_names.map(served);
    this.reveals = new Set(board.drawing.reveals);
  }

  /** @param {SeenMove} move @param {any} before @param {any} after */
  tell(move, before, after) {
    const { station, ticket, double } = move.details;
    const who = this.names[move.seat];
    if (ticket === "pass") return t("yard.told.pass", { who });
    const how = ride(ticket) + (station === null ? "" : ` ${t("yard.told.to", { station })}`);
    const twice = double ? ` ${t("yard.told.twice")}` : "";
    const seen = this.revealed(move, before, after) ? ` ${t("yard.told.shown")}` : "";
    const caught = after?.winner === "Detectives" ? `: ${t("yard.told.caught")}` : "";
    return `${who} ${how}${twice}${seen}${caught}.`;
  }

  /** Whether Mr X showed himself with this move. @param {SeenMove} move @param {any} before @param {any} after */
  revealed(move, before, after) {
    return move.seat === 0 && Boolean(before && after) && this.reveals.has(after.log_slots);
  }

  /** @param {SeenMove} move @param {any} before @param {any} after @returns {import("../moments.js").Moment | null} */
  moment(move, before, after) {
    if (!this.revealed(move, before, after)) return null;
    const title = t("yard.shown.at", { station: after.last_seen });
    return { title, text: t("yard.shown"), colour: "var(--p0)", sound: "reveal" };
  }

  /** @param {any} _before @param {any} m @param {SeenMove[]} moves @returns {string[]} */
  summary(_before, m, moves) {
    const tickets = moves.filter((move) => move.seat === 0).map((move) => ticketName(move.details.ticket));
    if (!tickets.length || m.phase !== "playing") return [];
    const places = m.view.possible.length;
    return [`${t("yard.way")} ${list(tickets)}. ${t("yard.can-be", { n: places })}`];
  }

  /** His whole way, and what was used. @param {any} m */
  ending(m) {
    const way = m.history.filter((/** @type {any} */ x) => x.seat === 0 && x.details.station !== null);
    const used = new Map();
    for (const { details } of way) used.set(details.ticket, (used.get(details.ticket) || 0) + 1);
    const rides = [...used].map(([name, n]) => t("yard.times-by", { n, ticket: ticketName(name) }));
    const seen = [...this.reveals].filter((slot) => slot <= way.length).length;
    return [
      h("p", { className: "small" }, `${t("yard.way")} ${wayOfX(m).join(" → ")}`),
      h(
        "p",
        { className: "small soft" },
        `${t("yard.moves-of-x", { n: way.length })}: ${list(rides)}. ${t("yard.times-shown", { n: seen })}`,
      ),
    ];
  }
}
