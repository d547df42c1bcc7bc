// The waiting room of a table: who is there, taking a seat, and the link to send to friends.
// @ts-check
import { api } from "./api.js";
import { copy } from "./clipboard.js";
import { h, toast } from "./dom.js";
import { dotColour, picture } from "./game-module.js";
import { go } from "./main.js";
import { nickname, setNickname } from "./names.js";
import { served, t } from "./texts.js";
import { who } from "./words.js";

/** @typedef {import("./game-module.js").Game} Game */
/** @typedef {{ready: (ready: boolean) => void, start: () => void}} Acts */

/** @param {Game} game @param {any} m @param {string} link @param {Acts} acts */
export function waitingRoom(game, m, link, acts) {
  const open = openSeats(m).length > 0;
  return h(
    "div",
    { className: "waiting" },
    h(
      "div",
      { className: "row" },
      h("div", { className: "thumb" }, picture(game)),
      h(
        "div",
        {},
        h("h2", {}, m.name || game.info.title),
        h("p", { className: "soft" }, m.spec),
        h("p", { className: "soft small" }, t(m.analysis ? "waiting.analysis" : "waiting.no-analysis")),
      ),
    ),
    h(
      "div",
      { className: "seats" },
      m.seats.map((/** @type {any} */ seat) => seatLine(game, m, seat)),
    ),
    m.mine.length ? readiness(m, acts) : open ? joining(game, m) : h("p", {}, t("waiting.full")),
    h("label", {}, t("waiting.link"), copyable(link, open)),
  );
}

/** @param {any} m @returns {any[]} */
export function openSeats(m) {
  return m.seats.filter((/** @type {any} */ seat) => seat.kind === "open");
}

/** A link in a field, and a button that copies it. @param {string} link @param {boolean} primary */
export function copyable(link, primary) {
  const field = h("input", {
    value: link,
    readonly: true,
    "aria-label": t("waiting.link.label"),
    onclick: () => field.select(),
  });
  return h(
    "div",
    { className: "row copyable" },
    field,
    h("button", { type: "button", className: primary ? "primary" : "", onclick: () => copy(link) }, t("copy")),
  );
}

/** @param {Game} game @param {any} m @param {any} seat */
function seatLine(game, m, seat) {
  return h(
    "div",
    { className: "seat" },
    h("span", { className: "dot", style: { background: dotColour(game, seat.seat) } }),
    h("span", {}, h("strong", {}, served(seat.name)), " ", h("span", { className: "soft" }, who(seat, m.mine))),
    h("span", {}, seat.kind === "open" ? "" : t(seat.ready ? "waiting.is-ready" : "waiting.is-not-ready")),
  );
}

/** Being ready, leaving; and for the first person at the table, starting with agents.
 * @param {any} m @param {Acts} acts */
function readiness(m, acts) {
  const ready = m.seats[m.mine[0]].ready;
  const first = m.seats.find((/** @type {any} */ seat) => seat.kind === "person");
  const mayStart = openSeats(m).length && m.mine.includes(first.seat);
  return h(
    "div",
    { className: "row" },
    h(
      "button",
      { className: ready ? "" : "primary", type: "button", onclick: () => acts.ready(!ready) },
      ready ? t("waiting.not-ready") : t("waiting.ready"),
    ),
    mayStart ? h("button", { type: "button", onclick: acts.start }, t("waiting.start")) : null,
    h("button", { className: "quiet danger", type: "button", onclick: () => leave(m.id) }, t("waiting.leave")),
  );
}

/** @param {string} id */
function leave(id) {
  api.leave(id).then(
    () => go("/"),
    (error) => toast(error.message),
  );
}

/** A name, and a button for each open seat and for all seats of a side. @param {Game} game @param {any} m */
function joining(game, m) {
  const value = nickname() === "You" ? "" : nickname();
  const name = h("input", { value, maxlength: 24, placeholder: t("setup.name"), "aria-label": t("setup.name") });
  const take = async (/** @type {number[]|undefined} */ seats) => {
    setNickname(name.value.trim() || t("waiting.guest"));
    await api.join(m.id, nickname(), seats).then(
      () => go(`/table/${m.id}`),
      (error) => toast(error.message),
    );
  };
  const open = openSeats(m);
  const join = (/** @type {Event} */ e) => {
    e.preventDefault();
    take(undefined);
  };
  return h(
    "form",
    { className: "joining", onsubmit: join },
    h("div", { className: "row" }, name, h("button", { className: "primary" }, t("waiting.take"))),
    open.length > 1
      ? h(
          "div",
          { className: "row" },
          h("span", { className: "soft small" }, t("waiting.which")),
          open.map((seat) =>
            h(
              "button",
              { type: "button", onclick: () => take([seat.seat]) },
              h("span", { className: "dot", style: { background: dotColour(game, seat.seat) } }),
              ` ${served(seat.name)}`,
            ),
          ),
        )
      : null,
  );
}
