// What happened in a game of Risk, in words: sentences, moments, what is new since one's last turn, and the end.
// @ts-check
import { h } from "../dom.js";
import { served, t, tOr } from "../texts.js";
import { list } from "../words.js";

/** @typedef {import("../game-module.js").SeenMove} SeenMove */

/** “1 army”, “3 armies”. @param {number} n */
export function armies(n) {
  return t("risk.armies", { n });
}

/** The round that is or was played; the set-up counts as the first. @param {any} view @returns {number} */
export function roundOf(view) {
  return Math.min(Math.max(1, view.round), view.rounds ?? Infinity);
}

export class RiskTold {
  /** @param {any} board the board as the server sent it */
  constructor(board) {
    this.names = board.seat_names.map(served);
    this.drawing = board.drawing;
    this.index = new Map(
      this.drawing.territories.map((/** @type {any} */ t, /** @type {number} */ i) => [t.territory, i]),
    );
    this.title = new Map(this.drawing.territories.map((/** @type {any} */ t) => [t.territory, t.name]));
  }

  /** @param {any} view @param {string} territory */
  owner(view, territory) {
    const owner = view.owners[/** @type {number} */ (this.index.get(territory))];
    return owner === null ? t("risk.nobody") : owner === "neutral" ? t("risk.the-neutral") : this.names[owner];
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
        return t("risk.told.claim", { who, to });
      case "place":
        return t("risk.told.place", { who, n: d.armies, to });
      case "exchange":
        return this.exchange(move, before, after);
      case "attack":
      case "battle":
        return t("risk.told.attack", { who, to, from }) + this.result(move, before, after);
      case "move":
        return t(before ? "risk.told.follow-into" : "risk.told.follow", {
          who,
          n: d.armies,
          to: this.title.get(before?.to),
        });
      case "stay":
        return t("risk.told.stay", { who });
      case "fortify":
        return t("risk.told.fortify", { who, n: d.armies, from, to });
      case "end attack":
        return t("risk.told.end-attack", { who });
      default:
        return `${t("risk.told.end-turn", { who })}${this.drawn(move.seat, before, after)}.`;
    }
  }

  /** @param {SeenMove} move @param {any} before @param {any} after */
  exchange(move, before, after) {
    const cards = move.details.cards.map((/** @type {string} */ c) => this.title.get(c) || t("risk.wild"));
    const gained = before && after ? t("risk.told.gained", { n: after.to_place - before.to_place }) : "";
    const place = this.title.get(move.details.armies_on);
    const bonus = place ? t("risk.told.bonus", { place }) : "";
    return `${t("risk.told.exchange", { who: this.names[move.seat], cards: list(cards) })}${gained}${bonus}.`;
  }

  /** @param {SeenMove} move @param {any} before @param {any} after */
  result(move, before, after) {
    if (!before || !after) return ".";
    const target = move.details.to;
    const defender = this.owner(before, target);
    const [attack, defend] = after.dice;
    const dice =
      move.details.kind === "attack" && attack.length
        ? t("risk.told.dice", { attack: attack.join(" "), defend: defend.join(" ") })
        : "";
    const [lost, killed] = after.losses;
    const losses = [
      lost ? t("risk.told.lost", { who: this.names[move.seat], n: lost }) : "",
      killed ? t("risk.told.lost", { who: defender, n: killed }) : "",
    ].filter(Boolean);
    const place = this.title.get(target);
    const taken = this.owner(after, target) !== defender ? ` ${t("risk.told.conquered", { place })}` : "";
    return `${dice}: ${list(losses) || t("risk.told.none-lost")}.${taken}`;
  }

  /** The card that a turn brought. @param {number} seat @param {any} before @param {any} after */
  drawn(seat, before, after) {
    if (!before || !after || after.players[seat].cards <= before.players[seat].cards) return "";
    const held = new Set((before.players[seat].hand || []).map((/** @type {any} */ c) => c.card));
    const card = (after.players[seat].hand || []).find((/** @type {any} */ c) => !held.has(c.card));
    if (!card) return ` ${t("risk.told.drew")}`;
    const symbol = tOr(`risk.symbol.${card.symbol}`, card.symbol);
    return ` ${t("risk.told.drew-card", { card: this.title.get(card.card) || t("risk.wild"), symbol })}`;
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
      return {
        title: t("risk.moment.destroyed", { who: this.names[out] }),
        text: t("risk.moment.by", { who }),
        colour: `var(--p${out})`,
        sound: "loss",
      };
    const won = this.drawing.continents.find(
      (/** @type {any} */ c) => this.holder(after, c) === move.seat && this.holder(before, c) !== move.seat,
    );
    if (!won) return null;
    const title = t("risk.moment.holds", { who, place: won.name });
    return { title, text: t("risk.moment.bonus", { n: won.bonus }), colour, sound: "conquest" };
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
    for (const land of lost)
      lines.push(t("risk.summary.took", { who: this.owner(m.view, land.territory), place: land.name }));
    for (const c of this.drawing.continents) {
      const now = this.holder(m.view, c);
      if (typeof now === "number" && now !== this.holder(before, c))
        lines.push(t("risk.summary.holds", { who: this.names[now], place: c.name }));
    }
    return lines.length ? lines : [t("risk.summary.none")];
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
    const head = ["", t("risk.territories"), t("risk.armies-head"), t("risk.attacks")].map((word, i) =>
      i ? h("th", { scope: "col" }, word) : h("td", {}),
    );
    return [
      h(
        "p",
        { className: "small soft" },
        `${t("risk.rounds", { n: roundOf(m.view) })}, ${t("risk.moves", { n: m.history.length })}.`,
      ),
      h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, m.view.players.map(row))),
    ];
  }
}
