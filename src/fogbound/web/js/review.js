// Game review: how a game stood after every move, the slips in it, and what would have been better.
// @ts-check
import { api } from "./api.js";
import { lines } from "./chart.js";
import { copy } from "./clipboard.js";
import { h, seatColour, show, toast } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { go } from "./main.js";
import { bar } from "./progress.js";
import { served, t } from "./texts.js";

/** @typedef {(start: number) => Promise<any>} Ask */
/** @typedef {import("./game-module.js").GameBoard} GameBoard */

/** @param {HTMLElement} page @param {string} id */
export async function open(page, id) {
  if (id) return review(page, (start) => api.reviewOf(id, start), id);
  const input = h("input", {
    type: "file",
    accept: ".json,application/json",
    "aria-label": t("review.file"),
    onchange: async () => {
      const text = await input.files[0].text();
      let record;
      try {
        record = JSON.parse(text);
      } catch {
        return toast(t("review.not-record"));
      }
      review(page, (start) => api.review(record, start), null).catch((error) => toast(error.message));
    },
  });
  show(
    page,
    h(
      "div",
      { className: "panel narrow" },
      h("h1", {}, t("review.title")),
      h("p", { className: "soft" }, t("review.open")),
      input,
    ),
  );
  return () => {};
}

/** Ask for the review in portions, and show what is known so far. @param {HTMLElement} page @param {Ask} ask
 * @param {string | null} id */
async function review(page, ask, id) {
  let closed = false;
  /** @type {any[]} */
  const moves = [];
  const work = async () => {
    let found = await ask(0);
    const game = await loadGame(found.family);
    const board = new game.Board(h("div", {}), found, () => {}); // never shown: it knows how moves are called
    for (;;) {
      moves.push(...found.moves);
      if (closed) return;
      show(page, screen(game, board, found, moves, id));
      if (found.next === null) return;
      found = await ask(found.next);
    }
  };
  show(page, bar(t("review.wait")));
  work().catch((error) => toast(error.message));
  return () => {
    closed = true;
  };
}

/** Who judged, by the agents' names; their specs are in the tooltip. @param {string[]} judges */
function judgedBy(judges) {
  return t("review.judged", { judges: [...new Set(judges.map((judge) => judge.split(":")[0]))].join(", ") });
}

/** @param {any} game @param {GameBoard} board @param {any} found @param {any[]} moves @param {string | null} id */
function screen(game, board, found, moves, id) {
  const slips = moves.filter((move) => move.slip).sort((a, b) => b.loss - a.loss);
  const judges = [...new Set(moves.filter((move) => move.by).map((move) => move.by))];
  return h(
    "div",
    { className: "review" },
    h(
      "header",
      { className: "row" },
      h("div", { className: "thumb" }, picture(game)),
      h("div", {}, h("h1", {}, t("review.title")), h("p", { className: "soft" }, found.spec)),
      id ? h("a", { className: "button", "data-route": true, href: `/replay/${id}` }, t("nav.replay")) : null,
      id ? h("button", { type: "button", onclick: () => copy(location.href) }, t("table.share")) : null,
    ),
    found.next === null
      ? null
      : bar(t("review.going", { done: found.next, whole: found.whole }), found.next, found.whole),
    h(
      "section",
      { className: "panel" },
      h("h2", {}, t("review.graph")),
      graph(board, found, moves, slips, id),
      legend(found),
      moves.some((move) => move.exact) ? h("p", { className: "soft small" }, t("review.exact")) : null,
      judges.length ? h("p", { className: "soft small", title: judges.join("\n") }, judgedBy(judges)) : null,
    ),
    h(
      "section",
      { className: "panel" },
      h("h2", {}, t("review.slips", { n: slips.length })),
      slips.length
        ? h(
            "ol",
            { className: "slips" },
            slips.slice(0, 12).map((slip) => slipLine(board, found, slip, id)),
          )
        : h("p", { className: "soft" }, t("review.no-slips")),
    ),
  );
}

/** Each side has a line, from what it could know; of two sides both lines tell how the first one stands.
 * @param {GameBoard} board @param {any} found @param {any[]} moves @param {any[]} slips
 * @param {string | null} id */
function graph(board, found, moves, slips, id) {
  const two = found.side_names.length === 2;
  const value = (/** @type {any} */ move) => (two && move.side === 1 ? 1 - move.value : move.value);
  const sides = found.side_names.map((/** @type {string} */ _, /** @type {number} */ i) => i);
  const drawn = sides.map((/** @type {number} */ side) => ({
    name: served(found.side_names[side]),
    colour: seatColour(side),
    points: moves.filter((move) => move.side === side).map((move) => ({ x: move.number, y: value(move) })),
  }));
  const marks = slips.map((move) => ({ x: move.number, y: value(move), label: sentence(board, found, move) }));
  const chosen = (/** @type {number} */ at) => id && go(`/replay/${id}#${Math.max(0, Math.min(found.whole, at))}`);
  return lines(drawn, found.whole, t("review.graph"), chosen, marks);
}

/** @param {any} found */
function legend(found) {
  const two = found.side_names.length === 2;
  return h(
    "p",
    { className: "small legend" },
    found.side_names.map((/** @type {string} */ name, /** @type {number} */ side) =>
      h(
        "span",
        {},
        h("span", { className: "dot", style: { background: seatColour(side) } }),
        ` ${t(two ? "review.line.of-two" : "review.line", {
          side: served(two ? found.side_names[0] : name),
          seer: served(name),
        })} `,
      ),
    ),
  );
}

/** How often a side gets there, in tenths. @param {number} value */
function tenths(value) {
  return Math.round(value * 10);
}

/** @param {GameBoard} board @param {any} found @param {any} move */
function sentence(board, found, move) {
  const called = (/** @type {string} */ text, /** @type {any} */ details) =>
    board.moveText?.({ code: -1, text, details }, move.view) || text;
  const side = served(found.side_names[move.side]);
  return t("review.sentence", {
    number: move.number + 1,
    seat: served(found.seat_names[move.seat]),
    played: called(move.played, move.played_details),
    best: called(move.best, move.best_details),
    side,
    before: tenths(move.value),
    after: tenths(move.played_value ?? 0),
  });
}

/** @param {GameBoard} board @param {any} found @param {any} move @param {string | null} id */
function slipLine(board, found, move, id) {
  const text = sentence(board, found, move);
  const grade = move.loss >= 0.3 ? t("review.blunder") : move.loss >= 0.2 ? t("review.mistake") : t("review.slip");
  const exact = move.exact ? h("span", { className: "chip" }, t("review.proved")) : null;
  return h(
    "li",
    {},
    h("strong", {}, `${grade} `),
    id ? h("a", { "data-route": true, href: `/replay/${id}#${move.number}` }, text) : text,
    " ",
    exact,
  );
}
