// Rules in short, one click away, and a coach for the first game.
// @ts-check
import { dialog, h } from "./dom.js";

/** @type {Record<string, {title: string, parts: [string, string[]][]}>} */
const RULES = {
  "scotland-yard": {
    title: "Scotland Yard in two minutes",
    parts: [
      ["The hunt", ["One player is Mr X, the others are detectives and win or lose together.", "Everybody moves from station to station and pays a ticket for each ride.", "The detectives win when one of them lands on Mr X's station. Mr X wins when the last round is over and he is free."]],
      ["What is hidden", ["Mr X's station is hidden. His travel log shows only which ticket he used.", "In the marked rounds he shows himself for a moment.", "Stations with a red glow are those where he can still be."]],
      ["Tickets", ["The colour of a line is its transport. You need a ticket of that kind.", "A black ticket goes anywhere and hides the transport. With a double move Mr X moves twice.", "On most boards the tickets that detectives use go to Mr X."]],
      ["How to play here", ["Stations that you can reach are ringed in gold: click one, or choose a move in the list.", "If several tickets lead there, you are asked which one to pay.", "Keys: arrows walk through your moves, Enter plays, a switches the analysis on."]],
    ],
  },
  risk: {
    title: "Risk in two minutes",
    parts: [
      ["The aim", ["Conquer the whole map, or fulfil your secret mission in that variant."]],
      ["A turn", ["Draft: place new armies (territories divided by three, continents, card sets).", "Attack as often as you like: up to three dice against two, ties to the defender.", "Fortify: move armies once between connected territories of yours."]],
      ["Cards", ["Who conquers something in a turn draws a card. Three alike or three different make a set.", "With five cards you must turn in a set. Hands are hidden; their size is not."]],
      ["How to play here", ["Click your territory, then the target. Hover an enemy to see the exact odds.", "Draft by clicking; the list offers larger numbers."]],
    ],
  },
  empire: {
    title: "Eight-Minute Empire in two minutes",
    parts: [
      ["A turn", ["Take one of the six cards and pay its price: 0, 1, 1, 2, 2, 3 coins from the left.", "You keep the card's goods and may use its action: new armies, moves, sailing, a city, or destroying an army.", "Coins never come back, so spend them well."]],
      ["Points at the end", ["One for each region where you have most, one for each continent.", "Goods score by how many of a kind you have; wild goods count where they help most."]],
      ["How to play here", ["Click a card in the row, then the regions that light up. “Done” stops early."]],
    ],
  },
};

/** @param {string} family */
export function openHelp(family) {
  const rules = RULES[family] || { title: "Rules", parts: [] };
  const box = dialog(h("div", { className: "help-text" }, h("h2", {}, rules.title), rules.parts.map(([title, lines]) => [h("h3", {}, title), h("ul", {}, lines.map((line) => h("li", {}, line)))])), h("div", { className: "actions" }, h("button", { className: "primary", type: "button", onclick: () => box.close() }, "Got it")));
}

/**
 * What a first game teaches, one thing after the other; each is ticked off when it has happened.
 * @type {Record<string, [string, (m: any, mine: any[]) => boolean][]>}
 */
const LESSONS = {
  "scotland-yard": [
    ["Make a move: click a station with a gold ring", (_m, mine) => mine.length > 0],
    ["See which ticket the other side used", (m, mine) => m.history.length > mine.length],
    ["A reveal: Mr X shows himself in a marked round", (m) => m.view.last_seen !== null && m.view.last_seen !== undefined],
    ["Play it to the end", (m) => m.phase === "over"],
  ],
  risk: [
    ["Place armies: click a territory of yours", (_m, mine) => mine.some((x) => x.details.kind === "place")],
    ["Attack: click your territory, then the target", (_m, mine) => mine.some((x) => ["attack", "battle"].includes(x.details.kind))],
    ["Conquer something, and let armies follow", (_m, mine) => mine.some((x) => ["move", "stay"].includes(x.details.kind))],
    ["End your turn, and get a card if you conquered", (_m, mine) => mine.some((x) => x.details.kind === "end turn" || x.details.kind === "fortify")],
    ["Turn in a set of three cards", (_m, mine) => mine.some((x) => x.details.kind === "exchange")],
  ],
  empire: [
    ["Take a card from the row and pay its price", (_m, mine) => mine.some((x) => x.details.kind === "card")],
    ["Use its action on the board", (_m, mine) => mine.some((x) => ["army", "move", "sail", "city", "destroy"].includes(x.details.kind))],
    ["Hold a region: have most armies and cities there", (m) => m.mine.some((/** @type {number} */ s) => m.view.players[s].points.regions > 0)],
    ["Score with goods", (m) => m.mine.some((/** @type {number} */ s) => m.view.players[s].points.goods > 0)],
  ],
};

/** Advice for a first game: one thing at a time, until it was done or put away. */
export class Coach {
  /** @param {string} family @param {() => void} hint */
  constructor(family, hint) {
    this.family = family;
    this.hint = hint;
    this.key = `fogbound:coached:${family}`;
    this.off = localStorage.getItem(this.key) === "yes";
  }

  /** @param {any} m */
  panel(m) {
    if (this.off || m.phase !== "playing") return null;
    const advice = this.advice(m);
    const turn = m.mine.includes(m.to_move);
    return h(
      "section",
      { className: "panel coach" },
      h("div", { className: "row spread" }, h("h3", {}, "Your first game"), h("button", { className: "quiet small", type: "button", onclick: (/** @type {Event} */ e) => this.putAway(e) }, "no more help")),
      advice ? h("p", { className: "small" }, advice) : null,
      this.lessons(m),
      turn ? h("button", { className: "small", type: "button", onclick: this.hint }, "Show me a good move") : null,
    );
  }

  /** @param {any} m */
  lessons(m) {
    const mine = m.history.filter((/** @type {any} */ x) => m.mine.includes(x.seat));
    const done = (LESSONS[this.family] || []).map(([text, test]) => ({ text, done: test(m, mine) }));
    const now = done.findIndex((lesson) => !lesson.done);
    return h("ol", { className: "lessons small" }, done.map((lesson, i) => h("li", { className: lesson.done ? "done" : i === now ? "now" : "", "aria-current": i === now ? "step" : null }, h("span", { "aria-hidden": "true" }, lesson.done ? "✓" : i === now ? "▸" : "·"), ` ${lesson.text}`, lesson.done ? h("span", { className: "unseen" }, " (done)") : null)));
  }

  /** @param {Event} e */
  putAway(e) {
    this.off = true;
    localStorage.setItem(this.key, "yes");
    /** @type {HTMLElement} */ (e.target).closest(".coach")?.remove();
  }

  /** @param {any} m */
  advice(m) {
    const turn = m.mine.includes(m.to_move);
    if (this.family === "scotland-yard") return this.yard(m, turn);
    if (this.family === "risk") return this.risk(m, turn);
    if (this.family === "empire") return this.empire(m, turn);
    return "";
  }

  /** @param {any} m @param {boolean} turn */
  yard(m, turn) {
    const asX = m.mine.includes(0);
    if (!turn) return asX ? "The detectives move now. Watch who comes closer." : "Mr X moves now. You will see his ticket in the travel log, not his station.";
    if (asX) return m.view.round <= 1 ? "You are the dark triangle. Gold rings are stations you can reach. Stay far from the coloured pieces; they see only your tickets." : "After a reveal everybody knows where you were: change direction right then.";
    if (m.view.round <= 1) return "You move one detective after another. Gold rings are where this one can go. Red glow: Mr X can be there. Spread out and close in.";
    if (m.view.last_seen !== null && m.view.possible.length < 8) return "He was seen not long ago. Block the ways out of the red stations instead of all running to the same place.";
    return "Every station you pass through is taken off the red ones. Keep some of each ticket for the end.";
  }

  /** @param {any} m @param {boolean} turn */
  risk(m, turn) {
    if (!turn) return "The others move. Watch where armies gather at your borders.";
    const say = /** @type {Record<string, string>} */ ({ draft: "Place your new armies at a border where you want to attack, or where you must hold.", attack: "Attack where you have clearly more armies: hover a target to see the odds. Conquer at least one territory to get a card.", occupy: "Move armies into what you conquered; leave some where you are still threatened.", fortify: "Bring idle armies from the middle to a border, then end your turn.", claim: "Claim a free territory. A whole small continent is a good start.", "set-up": "Put armies where your continents end." });
    return say[m.view.phase] || "";
  }

  /** @param {any} m @param {boolean} turn */
  empire(m, turn) {
    if (!turn) return "The others take their cards. Cheap cards slide to the left.";
    return m.view.card ? "Use the card's action: the regions that light up can be clicked. “Done” stops early." : "Take a card: its goods count at the end, its action now. Cards on the left are cheap, and coins never come back.";
  }
}
