// My games: all that were played in this browser, kept here and nowhere else, with results and a rating of oneself.
// @ts-check
import { api, tokens } from "./api.js";
import { h, show, toast } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { number, served, t, tOr, when } from "./texts.js";

/**
 * @typedef {object} Played
 * @property {string} id
 * @property {string} family
 * @property {string} spec
 * @property {number} when Seconds since 1970.
 * @property {string} side
 * @property {{name: string, level: string | null, rating: number | null}[]} others
 * @property {"won" | "lost" | "drawn" | "watched"} result
 * @property {string} outcome
 * @property {number} moves
 */

const KEY = "fogbound:games";
const FORMAT = "fogbound games 1";

/** @returns {Record<string, Played>} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY) || "{}");
  } catch {
    return {};
  }
}

/** @param {Record<string, Played>} games */
function keep(games) {
  localStorage.setItem(KEY, JSON.stringify(games));
}

/** Take in what has ended at the tables where this browser sits. */
export async function sync() {
  const games = kept();
  const asked = tokens.recent().filter((id) => !(id in games));
  const found = await Promise.all(asked.slice(0, 40).map((id) => api.mine(id).catch(() => null)));
  for (const table of found) if (table?.phase === "over" && table.scores) games[table.id] = played(table);
  keep(games);
  return games;
}

/** @param {any} table @returns {Played} */
function played(table) {
  const mine = table.mine;
  const side = mine.length ? table.seats[mine[0]].side : -1;
  const best = Math.max(...table.scores);
  const winners = table.scores.filter((/** @type {number} */ score) => score === best).length;
  const won = side >= 0 && table.scores[side] === best;
  /** @type {Map<number, any>} */
  const others = new Map();
  for (const seat of table.seats) if (seat.side !== side && !others.has(seat.side)) others.set(seat.side, seat);
  return {
    id: table.id,
    family: table.family,
    spec: table.spec,
    when: table.ended || table.created,
    side: mine.length ? mine.map((/** @type {number} */ seat) => table.seats[seat].name).join(", ") : "",
    others: [...others.values()].map((seat) => ({
      name: seat.nickname,
      level: seat.level,
      rating: table.ratings[seat.level] ?? null,
    })),
    result: side < 0 ? "watched" : winners > 1 && won ? "drawn" : won ? "won" : "lost",
    outcome: table.outcome,
    moves: table.moves,
  };
}

/** The rating at which one's results against rated opponents are what is expected; two draws against 1000 come first.
 * @param {Played[]} games */
export function ratingOf(games) {
  const results = games
    .filter((game) => game.others.length === 1 && game.others[0].rating !== null && game.result !== "watched")
    .map((game) => ({
      rating: Number(game.others[0].rating),
      score: { won: 1, drawn: 0.5, lost: 0, watched: 0 }[game.result],
    }));
  if (!results.length) return null;
  const all = [...results, { rating: 1000, score: 0.5 }, { rating: 1000, score: 0.5 }];
  let low = -1000;
  let high = 4000;
  while (high - low > 1) {
    const middle = (low + high) / 2;
    const expected = all.reduce((sum, each) => sum + 1 / (1 + 10 ** ((each.rating - middle) / 400)), 0);
    const scored = all.reduce((sum, each) => sum + each.score, 0);
    if (expected < scored) low = middle;
    else high = middle;
  }
  return { rating: Math.round(low), games: results.length };
}

/** @param {HTMLElement} page */
export async function open(page) {
  const list = h("div", { className: "list" });
  const tally = h("div", { className: "tallies" });
  const family = h("select", { "aria-label": t("games.game"), onchange: render });
  const result = h(
    "select",
    { "aria-label": t("games.result"), onchange: render },
    ["", "won", "lost", "drawn", "watched"].map((each) =>
      h("option", { value: each }, each ? t(`games.${each}`) : t("games.any-result")),
    ),
  );
  const file = h("input", { type: "file", accept: ".json", hidden: true, onchange: () => load(file.files[0]) });
  show(
    page,
    h("h1", {}, t("nav.games")),
    h("p", { className: "soft" }, t("games.about")),
    tally,
    h(
      "div",
      { className: "row filters" },
      family,
      result,
      h("button", { type: "button", onclick: save }, t("games.export")),
      h("button", { type: "button", onclick: () => file.click() }, t("games.import")),
      file,
    ),
    list,
  );
  let games = Object.values(await sync());
  const families = await Promise.all((await api.games()).map((/** @type {any} */ info) => loadGame(info.name)));
  const known = new Map(families.map((game) => [game.info.name, game]));
  show(
    family,
    h("option", { value: "" }, t("games.any-game")),
    families.map((game) => h("option", { value: game.info.name }, game.info.title)),
  );
  render();

  function render() {
    const shown = games
      .filter(
        (game) => (!family.value || game.family === family.value) && (!result.value || game.result === result.value),
      )
      .sort((a, b) => b.when - a.when);
    show(
      tally,
      families.map((game) =>
        tallyOf(
          game,
          games.filter((each) => each.family === game.info.name),
        ),
      ),
    );
    show(
      list,
      shown.length ? shown.map((game) => line(game, known)) : h("p", { className: "panel soft" }, t("games.none")),
    );
  }
  function save() {
    const text = JSON.stringify({ format: FORMAT, games: kept() }, null, 1);
    const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    h("a", { href: address, download: "fogbound-games.json" }).click();
  }
  async function load(/** @type {File} */ chosen) {
    try {
      const found = JSON.parse(await chosen.text());
      if (found.format !== FORMAT) throw new Error(t("games.not-games"));
      keep({ ...found.games, ...kept() });
      games = Object.values(kept());
      render();
    } catch (error) {
      toast(error instanceof SyntaxError ? t("games.not-games") : String(/** @type {Error} */ (error).message));
    }
  }
  return () => {};
}

/** Wins against each level, and one's rating. @param {any} game @param {Played[]} games */
function tallyOf(game, games) {
  const mine = games.filter((each) => each.result !== "watched");
  if (!mine.length) return null;
  const rated = ratingOf(mine);
  /** @type {Map<string, Played[]>} */
  const byLevel = new Map();
  for (const each of mine)
    for (const other of each.others.slice(0, 1))
      byLevel.set(other.level || other.name, [...(byLevel.get(other.level || other.name) || []), each]);
  return h(
    "section",
    { className: "panel" },
    h("h2", {}, game.info.title),
    rated
      ? h(
          "p",
          {},
          h("strong", { className: "figure" }, number(rated.rating)),
          ` ${t("games.rated", { n: rated.games })}`,
        )
      : null,
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["games.against", "games.won", "games.drawn", "games.lost"].map((each) => h("th", {}, t(each))),
        ),
      ),
      h(
        "tbody",
        {},
        [...byLevel].map(([level, all]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, tOr(`level.${level}`, level)),
            ["won", "drawn", "lost"].map((each) => h("td", {}, all.filter((one) => one.result === each).length)),
          ),
        ),
      ),
    ),
  );
}

/** @param {Played} game @param {Map<string, any>} known */
function line(game, known) {
  const drawn = known.get(game.family);
  return h(
    "div",
    { className: `panel row spread played ${game.result}` },
    h(
      "div",
      { className: "row" },
      drawn ? h("div", { className: "thumb" }, picture(drawn)) : null,
      h(
        "div",
        {},
        h("strong", {}, t(`games.${game.result}`)),
        ` ${served(game.outcome)}`,
        h(
          "div",
          { className: "soft small" },
          [game.spec, game.side, game.others.map((other) => other.name).join(", "), when(game.when)]
            .filter(Boolean)
            .join(" · "),
        ),
      ),
    ),
    h(
      "div",
      { className: "row" },
      h("a", { className: "button", "data-route": true, href: `/review/${game.id}` }, t("games.review")),
      h("a", { className: "button", "data-route": true, href: `/replay/${game.id}` }, t("nav.replay")),
    ),
  );
}
