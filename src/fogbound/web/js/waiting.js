// The waiting room of a table: who is there, taking a seat, and the link to send to friends.
// @ts-check
import { copy } from "./clipboard.js";
import { h } from "./dom.js";
import { dotColour, picture } from "./game-module.js";
import { nickname } from "./names.js";
import { who } from "./words.js";

/** @typedef {import("./game-module.js").Game} Game */
/** @typedef {{ready: (ready: boolean) => void, start: () => void, join: (name: string) => void}} Acts */

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
      h("div", {}, h("h2", {}, game.info.title), h("p", { className: "soft" }, m.spec)),
    ),
    h(
      "div",
      { className: "seats" },
      m.seats.map((/** @type {any} */ seat) => seatLine(game, m, seat)),
    ),
    m.mine.length
      ? readiness(m, acts)
      : open
        ? joining(acts)
        : h("p", {}, "All seats are taken; you will see the game when it starts."),
    h("label", {}, "Send this link to your friends", copyable(link, open)),
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
    "aria-label": "Link to invite",
    onclick: () => field.select(),
  });
  return h(
    "div",
    { className: "row copyable" },
    field,
    h("button", { type: "button", className: primary ? "primary" : "", onclick: () => copy(link) }, "Copy"),
  );
}

/** @param {Game} game @param {any} m @param {any} seat */
function seatLine(game, m, seat) {
  return h(
    "div",
    { className: "seat" },
    h("span", { className: "dot", style: { background: dotColour(game, seat.seat) } }),
    h("span", {}, h("strong", {}, seat.name), " ", h("span", { className: "soft" }, who(seat, m.mine))),
    h("span", {}, seat.ready ? "ready ✓" : seat.kind === "open" ? "" : "not ready"),
  );
}

/** Being ready; and for the first person at the table, starting with agents. @param {any} m @param {Acts} acts */
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
      ready ? "Not ready after all" : "I am ready",
    ),
    mayStart ? h("button", { type: "button", onclick: acts.start }, "Start now, AI in the open seats") : null,
  );
}

/** @param {Acts} acts */
function joining(acts) {
  const value = nickname() === "You" ? "" : nickname();
  const name = h("input", { value, maxlength: 24, placeholder: "Your name", "aria-label": "Your name" });
  const join = (/** @type {Event} */ e) => {
    e.preventDefault();
    acts.join(name.value.trim() || "Guest");
  };
  return h("form", { className: "row", onsubmit: join }, name, h("button", { className: "primary" }, "Take a seat"));
}
