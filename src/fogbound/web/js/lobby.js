// The public lobby: tables that wait for players, and games to watch.
// @ts-check
import { api } from "./api.js";
import { h, show } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { t } from "./texts.js";

/** @param {HTMLElement} page */
export async function open(page) {
  const list = h("div", { className: "list" });
  show(page, h("h1", {}, t("nav.lobby")), h("p", { className: "soft" }, t("lobby.about")), list);
  async function refresh() {
    const tables = await api.lobby().catch(() => []);
    show(
      list,
      tables.length ? await Promise.all(tables.map(line)) : h("p", { className: "panel soft" }, t("lobby.none")),
    );
  }
  await refresh();
  const timer = setInterval(refresh, 4000);
  return () => clearInterval(timer);
}

/** @param {any} table */
async function line(table) {
  const game = await loadGame(table.family);
  const open = table.seats.filter((/** @type {any} */ seat) => seat.kind === "open").length;
  const people = [
    ...new Set(
      table.seats
        .filter((/** @type {any} */ seat) => seat.kind === "person")
        .map((/** @type {any} */ seat) => seat.nickname),
    ),
  ].join(", ");
  const doing = table.phase === "waiting" ? t("lobby.open", { n: open }) : t("table.move", { n: table.moves });
  return h(
    "div",
    { className: "panel row spread" },
    h(
      "div",
      { className: "row" },
      h("div", { className: "thumb" }, picture(game)),
      h(
        "div",
        {},
        h("strong", {}, table.name || game.info.title),
        h("div", { className: "soft small" }, table.spec),
        h("div", { className: "soft small" }, `${people || t("lobby.agents")} · ${doing}`),
      ),
    ),
    h(
      "a",
      { className: "button", "data-route": true, href: `/table/${table.id}` },
      table.phase === "waiting" ? t("lobby.join") : t("lobby.watch"),
    ),
  );
}
