// What happened in a game of Eight-Minute Empire, in words: sentences, moments, news since one's turn, the end.
// @ts-check
import { h } from "../dom.js";
import { served, t, tOr } from "../texts.js";
import { capital, list } from "../words.js";

/** @typedef {import("../game-module.js").SeenMove} SeenMove */

/** A card's action, for a number of it. @param {string} action @param {number} n */
export function deed(action, n) {
  return tOr(`empire.deed.${action}`, `${n} ${action}`, { n });
}

/** A good in the reader's language. @param {string} good */
export function goodName(good) {
  return tOr(`empire.good.${good}`, good);
}

/** What stands between a card's actions. @param {any} card */
export function joint(card) {
  return ` ${tOr(`empire.join.${card.join}`, card.join)} `;
}

/** A card in words. @param {any} card */
export function cardText(card) {
  const deeds = card.actions.map((/** @type {any} */ a) => deed(a.action, a.count)).join(joint(card));
  return `${card.goods > 1 ? `${card.goods} ` : ""}${goodName(card.good)}, ${deeds}`;
}

export class EmpireTold {
  /** @param {any} board */
  constructor(board) {
    this.names = board.seat_names;
  }

  /** What is to be done with the card in use. @param {any} view @param {any} card */
  expected(view, card) {
    const named = (/** @type {string} */ action, /** @type {any} */ n) => `${t(`empire.action.${action}`)} ${n}`;
    if (view.phase === "action") {
      const left = Object.entries(view.left).map(([action, n]) => named(action, n));
      return t("empire.expected.action", { left: left.join(", ") });
    }
    if (view.phase !== "choice" || !card) return null;
    const once = (/** @type {string} */ action) => ["city", "destroy"].includes(action);
    const actions = card.actions.map((/** @type {any} */ a) =>
      once(a.action) ? t(`empire.action.${a.action}`) : named(a.action, a.count),
    );
    return t("empire.expected.choice", { actions: actions.join(joint(card)) });
  }

  /** @param {SeenMove} move @param {any} before @param {any} after */
  tell(move, before, after) {
    const d = move.details;
    const who = served(this.names[move.seat]);
    const held = this.gained(before, after);
    switch (d.kind) {
      case "card": {
        const card = before?.row[d.place - 1];
        const price = d.price ? t("empire.told.price", { n: d.price }) : t("empire.told.free");
        const what = card ? cardText(card) : t("empire.told.card", { place: d.place });
        return t("empire.told.took", { who, what, price });
      }
      case "use":
        return t("empire.told.chose", { who, what: t(`empire.chosen.${d.action}`) });
      case "done":
        return t("empire.told.done", { who });
      case "army":
      case "place":
        return `${t("empire.told.army", { who, region: d.region })}${held}.`;
      case "neutral":
        return t("empire.told.neutral", { who, region: d.region });
      case "move":
        return `${t("empire.told.move", { who, from: d.from, to: d.to })}${held}.`;
      case "sail":
        return `${t("empire.told.sail", { who, from: d.from, to: d.to })}${held}.`;
      case "city":
      case "build":
        return `${t("empire.told.city", { who, region: d.region })}${held}.`;
      case "destroy":
        return `${t("empire.told.destroy", { who, whose: served(capital(d.colour)), region: d.region })}${held}.`;
      case "bid":
        return d.coins === null ? t("empire.told.sealed", { who }) : t("empire.told.bid", { who, n: d.coins });
      case "start":
        return t("empire.told.start", { who, whose: served(d.colour) });
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
    const holds = (/** @type {string} */ id) =>
      t("empire.told.holds", { who: served(after.regions[id].controlled_by), region: id });
    return changed.length ? `; ${list(changed.map(holds))}` : "";
  }

  /** @param {SeenMove} _move @param {any} before @param {any} after @returns {import("../moments.js").Moment | null} */
  moment(_move, before, after) {
    for (const [continent, holder] of Object.entries(after.continents))
      if (holder && holder !== before.continents[continent])
        return {
          title: t("empire.moment.holds", { who: served(holder), continent }),
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
    const points = m.view.players.map((/** @type {any} */ p) => `${served(p.name)} ${p.points.total}`);
    return [
      lost.length ? t("empire.summary.lost", { regions: list(lost) }) : t("empire.summary.none"),
      t("empire.summary.points", { points: points.join(", ") }),
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
          kinds.map((kind) => h("th", { scope: "col" }, t(`empire.points.${kind}`))),
        ),
      ),
      h(
        "tbody",
        {},
        m.view.players.map((/** @type {any} */ p) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, served(p.name)),
            kinds.map((kind) => h("td", {}, p.points[kind])),
          ),
        ),
      ),
    );
  }
}
