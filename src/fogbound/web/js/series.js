// A series: the tally, the games so far, and the one that is played now. Agents among themselves go on by themselves.
// @ts-check
import { api, TableSocket, tokens } from "./api.js";
import { h, show, toast } from "./dom.js";
import { number, t } from "./texts.js";

/** @param {HTMLElement} page @param {string} id A table of the series. */
export async function open(page, id) {
  const screen = new SeriesScreen(page, id);
  await screen.begin();
  return () => screen.close();
}

class SeriesScreen {
  /** @param {HTMLElement} page @param {string} id */
  constructor(page, id) {
    this.page = page;
    this.id = id;
    this.going = false;
    /** @type {TableSocket | null} */
    this.socket = null;
  }

  close() {
    this.socket?.close();
    this.socket = null;
  }

  async begin() {
    this.render(await api.series(this.id), await api.mine(this.id));
    this.follow();
  }

  /** Agents play only while somebody looks. */
  follow() {
    this.close();
    this.socket = new TableSocket(
      this.id,
      (message) => this.receive(message),
      () => {},
    );
  }

  /** @param {any} message */
  async receive(message) {
    if (message.type !== "table" || this.going) return;
    this.going = message.phase === "over";
    if (!this.going) return;
    const told = await api.series(this.id);
    this.render(told, message);
    const agentsOnly = message.seats.every((/** @type {any} */ seat) => seat.kind === "agent");
    if (agentsOnly && told.games.length < told.length && this.socket) await this.next(message.next);
    this.going = false;
  }

  /** Go on to the next game; whoever only watches waits until there is one. @param {string | null} [id] */
  async next(id) {
    if (!id && !tokens.get(this.id)) return;
    try {
      this.id = id || (await api.next(this.id));
      history.replaceState(null, "", `/series/${this.id}`);
      await this.begin();
    } catch (error) {
      toast(String(/** @type {Error} */ (error).message));
    }
  }

  /** @param {any} told @param {any} table */
  render(told, table) {
    const over = told.games.length >= told.length;
    const person = table.seats.some((/** @type {any} */ seat) => seat.kind === "person");
    show(
      this.page,
      h(
        "div",
        { className: "review" },
        h("h1", {}, t("series.title", { done: told.games.length, length: told.length })),
        h("p", { className: "soft" }, told.game, " · ", told.swap ? t("series.swapped") : t("series.same")),
        h(
          "div",
          { className: "row" },
          h("a", { className: "button", "data-route": true, href: `/table/${this.id}` }, t("series.watch")),
          table.phase === "over" && !over && person && tokens.get(this.id)
            ? h("button", { className: "primary", type: "button", onclick: () => this.next() }, t("series.next"))
            : null,
          h("button", { type: "button", onclick: () => save(told) }, t("games.export")),
        ),
        h("section", { className: "panel", role: "status" }, tally(told)),
        told.games.length ? h("section", { className: "panel wide" }, games(told)) : null,
      ),
    );
  }
}

/** @param {any} told */
function tally(told) {
  return h(
    "table",
    { className: "standings tally" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["lab.player", "games.won", "games.drawn"].map((key) => h("th", {}, t(key))),
      ),
    ),
    h(
      "tbody",
      {},
      told.players.map((/** @type {string} */ name, /** @type {number} */ i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, name),
          h("td", { className: "figure" }, told.wins[i]),
          h("td", {}, told.draws),
        ),
      ),
    ),
  );
}

/** @param {any} told */
function games(told) {
  const heads = ["#", ...told.sides, t("series.winner"), t("series.moves"), t("series.seconds"), ""];
  return h(
    "table",
    { className: "standings games-played" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((text) => h("th", {}, text || h("span", { className: "unseen" }, t("nav.replay")))),
      ),
    ),
    h(
      "tbody",
      {},
      told.games.map((/** @type {any} */ game, /** @type {number} */ i) =>
        h(
          "tr",
          {},
          h("td", {}, i + 1),
          game.sides.map((/** @type {number} */ who) => h("td", {}, told.players[who])),
          h("td", {}, game.winner === null ? t("games.drawn") : told.players[game.winner]),
          h("td", {}, number(game.moves)),
          h("td", {}, number(game.seconds)),
          h("td", {}, h("a", { "data-route": true, href: `/replay/${game.table}` }, t("nav.replay"))),
        ),
      ),
    ),
  );
}

/** @param {any} told */
function save(told) {
  const address = URL.createObjectURL(new Blob([JSON.stringify(told, null, 1)], { type: "application/json" }));
  h("a", { href: address, download: "fogbound-series.json" }).click();
}
