// What happened in a game of Risk, in words: sentences, moments, what is new since one's last turn, and the end.
// @ts-check
import { h } from "../dom.js";
import { count, list } from "../words.js";

/** @typedef {import("../game-module.js").SeenMove} SeenMove */

const armies = (/** @type {number} */ n) => count(n, "army", "armies");

export class RiskTold {
  /** @param {any} board the board as the server sent it */
  constructor(board) {
    this.names = board.seat_names;
    this.drawing = board.drawing;
    this.index = new Map(
      this.drawing.territories.map((/** @type {any} */ t, /** @type {number} */ i) => [t.territory, i]),
    );
    this.title = new Map(this.drawing.territories.map((/** @type {any} */ t) => [t.territory, t.name]));
  }

  /** @param {any} view @param {string} territory */
  owner(view, territory) {
    const owner = view.owners[/** @type {number} */ (this.index.get(territory))];
    return owner === null ? "nobody" : owner === "neutral" ? "the neutral army" : this.names[owner];
  }

  /**
   * A move as a sentence; without the positions around it, its result is not known.
   * @param {SeenMove} move
   * @param {any} before
   * @param {any} after
   */
  tell(move, before, after) {
    const d = move.details;
    const who = this.names[move.seat];
    const [from, to] = [this.title.get(d.from), this.title.get(d.to)];
    switch (d.kind) {
      case "claim":
        return `${who} claimed ${to}.`;
      case "place":
        return `${who} placed ${armies(d.armies)} in ${to}.`;
      case "exchange":
        return this.exchange(move, before, after);
      case "attack":
      case "battle":
        return `${who} attacked ${to} from ${from}${this.result(move, before, after)}`;
      case "move":
        return `${who}: ${armies(d.armies)} followed${before ? ` into ${this.title.get(before.to)}` : ""}.`;
      case "stay":
        return `${who} left the other armies behind.`;
      case "fortify":
        return `${who} moved ${armies(d.armies)} from ${from} to ${to}.`;
      case "end attack":
        return `${who} ended the attack.`;
      default:
        return `${who} ended the turn${this.drawn(move.seat, before, after)}.`;
    }
  }

  /** @param {SeenMove} move @param {any} before @param {any} after */
  exchange(move, before, after) {
    const cards = move.details.cards.map((/** @type {string} */ c) => this.title.get(c) || "a wild card");
    const gained = before && after ? `, for ${armies(after.to_place - before.to_place)}` : "";
    const bonus = move.details.armies_on ? `, 2 of them in ${this.title.get(move.details.armies_on)}` : "";
    return `${this.names[move.seat]} turned in ${list(cards)}${gained}${bonus}.`;
  }

  /** @param {SeenMove} move @param {any} before @param {any} after */
  result(move, before, after) {
    if (!before || !after) return ".";
    const target = move.details.to;
    const defender = this.owner(before, target);
    const [attack, defend] = after.dice;
    const dice =
      move.details.kind === "attack" && attack.length ? `, ${attack.join(" ")} against ${defend.join(" ")}` : "";
    const [lost, killed] = after.losses;
    const losses = [
      lost ? `${this.names[move.seat]} lost ${lost}` : "",
      killed ? `${defender} lost ${killed}` : "",
    ].filter(Boolean);
    const taken = this.owner(after, target) !== defender ? ` ${this.title.get(target)} is conquered.` : "";
    return `${dice}: ${list(losses) || "nobody lost an army"}.${taken}`;
  }

  /** The card that a turn brought. @param {number} seat @param {any} before @param {any} after */
  drawn(seat, before, after) {
    if (!before || !after || after.players[seat].cards <= before.players[seat].cards) return "";
    const held = new Set((before.players[seat].hand || []).map((/** @type {any} */ c) => c.card));
    const card = (after.players[seat].hand || []).find((/** @type {any} */ c) => !held.has(c.card));
    return card ? ` and drew ${this.title.get(card.card) || "a wild card"} (${card.symbol})` : " and drew a card";
  }

  /** @param {SeenMove} move @param {any} before @param {any} after @returns {import("../moments.js").Moment | null} */
  moment(move, before, after) {
    const who = this.names[move.seat];
    const colour = `var(--p${move.seat})`;
    const out = this.names.findIndex(
      (/** @type {string} */ _, /** @type {number} */ i) =>
        after.players[i].destroyed_by !== null && before.players[i].destroyed_by === null,
    );
    if (out >= 0)
      return { title: `${this.names[out]} is destroyed`, text: `by ${who}`, colour: `var(--p${out})`, sound: "loss" };
    const won = this.drawing.continents.find(
      (/** @type {any} */ c) => this.holder(after, c) === move.seat && this.holder(before, c) !== move.seat,
    );
    if (won) return { title: `${who} holds ${won.name}`, text: `+${won.bonus} every turn`, colour, sound: "conquest" };
    return null;
  }

  /** The seat that holds a whole continent. @param {any} view @param {any} continent */
  holder(view, continent) {
    const owners = new Set(
      continent.territories.map((/** @type {string} */ t) => view.owners[/** @type {number} */ (this.index.get(t))]),
    );
    return owners.size === 1 ? [...owners][0] : null;
  }

  /** What changed since one's last turn. @param {any} before @param {any} m @returns {string[]} */
  summary(before, m) {
    if (!before || m.phase !== "playing") return [];
    const lines = [];
    const lost = this.drawing.territories.filter(
      (/** @type {any} */ _, /** @type {number} */ i) =>
        m.mine.includes(before.owners[i]) && !m.mine.includes(m.view.owners[i]),
    );
    for (const t of lost) lines.push(`${this.owner(m.view, t.territory)} took ${t.name} from you.`);
    for (const c of this.drawing.continents) {
      const now = this.holder(m.view, c);
      if (typeof now === "number" && now !== this.holder(before, c))
        lines.push(`${this.names[now]} holds ${c.name} now.`);
    }
    return lines.length ? lines : ["You lost no territory."];
  }

  /** How the game went for each. @param {any} m */
  ending(m) {
    const row = (/** @type {any} */ p, /** @type {number} */ seat) => {
      const fights = m.history.filter(
        (/** @type {any} */ x) => x.seat === seat && x.details.from && x.details.kind !== "fortify",
      );
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, this.names[seat]),
        h("td", {}, p.territories),
        h("td", {}, p.armies),
        h("td", {}, fights.length),
      );
    };
    const head = ["", "territories", "armies", "attacks"].map((word, i) =>
      i ? h("th", { scope: "col" }, word) : h("td", {}),
    );
    return [
      h("p", { className: "small soft" }, `${count(m.view.round, "round")}, ${count(m.history.length, "move")}.`),
      h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, m.view.players.map(row))),
    ];
  }
}
