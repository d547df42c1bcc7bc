// Eight-Minute Empire on the page: regions with armies and cities, the row of cards, goods and points;
// its rules and lessons.
// @ts-check
import { h, s, seatColour } from "../dom.js";
import { fog } from "../drawing/fog.js";
import { MAP_STYLES, MapBoard } from "../drawing/map.js";
import { number, served, t, tOr } from "../texts.js";
import { capital, marks } from "../words.js";
import { cardText, deed, EmpireTold, goodName, joint } from "./empire-told.js";

/** @typedef {import("../game-module.js").GameModule} GameModule */

const GOODS = ["food", "wood", "coal", "gems", "iron", "wild"];
const GOOD_COLOURS = /** @type {Record<string, string>} */ ({
  food: "#e0a63a",
  wood: "#8f6a3f",
  coal: "#5b6470",
  gems: "#b56ad1",
  iron: "#6fa3c8",
  wild: "#d9d9d9",
});
const GOOD_SHAPES = /** @type {Record<string, string>} */ ({
  food: "M10 2c4 3 5 6 5 9a5 5 0 0 1-10 0c0-3 1-6 5-9z",
  wood: "M3 6h14v8H3zM3 6l3-3h14l-3 3M17 14l3-3V3",
  coal: "M3 13l3-8l7-2l5 6l-2 8H6z",
  gems: "M5 3h10l4 5l-9 10L1 8z",
  iron: "M2 15l4-9h8l4 9z",
  wild: "M10 1l2.6 6.2l6.4.5l-5 4.2l1.6 6.6L10 15l-5.6 3.5L6 11.9l-5-4.2l6.4-.5z",
});
const DEED_SHAPES = /** @type {Record<string, string>} */ ({
  armies: "M8 2h4v6h6v4h-6v6H8v-6H2V8h6z",
  move: "M2 8h9V3l8 7l-8 7v-5H2z",
  sail: "M9 1v11H2zM11 4l6 8h-6zM1 14h18l-3 5H4z",
  city: "M2 18V9l5-4l5 4v2h6v7zM5 11v3h3v-3z",
  destroy: "M4 1l6 6l6-6l3 3l-6 6l6 6l-3 3l-6-6l-6 6l-3-3l6-6l-6-6z",
});

/** @param {string} action */
function deedIcon(action) {
  return s(
    "svg",
    { className: "deed-icon", viewBox: "0 0 20 20", "aria-hidden": "true" },
    s("path", { d: DEED_SHAPES[action] || "", "fill-rule": "evenodd" }),
  );
}

/** @param {string} name @param {number} [size] */
function good(name, size = 18) {
  return s(
    "svg",
    { viewBox: "0 0 20 20", width: size, height: size, role: "img", "aria-label": goodName(name) },
    s("title", {}, goodName(name)),
    s("path", { d: GOOD_SHAPES[name], fill: GOOD_COLOURS[name], stroke: "#0006" }),
  );
}

/** How many pieces of a kind can still be placed. @param {number} n @param {string} words @param {string} d */
function left(n, words, d) {
  const drawn = s("svg", { className: "deed-icon", viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d }));
  return h(
    "span",
    { className: "chip plain", title: words },
    drawn,
    n,
    h("span", { className: "unseen" }, ` ${words}`),
  );
}

class EmpireBoard extends MapBoard {
  /** @param {HTMLElement} area @param {any} board @param {(code: number) => void} play */
  constructor(area, board, play) {
    super(
      area,
      board,
      play,
      board.drawing.regions.map((/** @type {any} */ r) => ({ ...r, id: r.region, name: r.region })),
    );
    this.cards = new Map(board.drawing.cards.map((/** @type {any} */ c) => [c.card, c]));
    this.told = new EmpireTold(board);
    this.marks = marks(board.seat_names.map(served));
    this.tokens = s("g", {});
    this.over.append(this.tokens);
    this.size = this.unit * 0.1;
  }

  /** @param {any} under @param {any} over */
  decorate(under, over) {
    const { sea, continents, start, tiles } = this.board.drawing;
    const size = this.unit;
    over.append(this.divides());
    for (const [a, b] of sea) under.append(this.route(a, b, tiles));
    continents.forEach((/** @type {string} */ continent, /** @type {number} */ number) => {
      const members = this.areas.filter((a) => /** @type {any} */ (a).continent === continent);
      under.append(
        s(
          "g",
          { className: "continent", style: { "--tint": `var(--c${number % 8})` } },
          members.map((m) => s("path", { d: this.path(m), "stroke-width": size * 0.09 })),
        ),
      );
    });
    const at = this.place.get(start);
    if (at)
      over.append(
        s("circle", { className: "start-ring", cx: at.x, cy: at.y, r: size * 0.33 }),
        s(
          "text",
          { className: "start-word", x: at.x, y: at.y - size * 0.22, "font-size": size * 0.085 },
          t("empire.start"),
        ),
      );
    over.append(
      s(
        "g",
        { className: "names", "font-size": size * 0.085 },
        this.areas.map((a) => s("text", { x: a.x, y: a.y + size * 0.25, "data-name": a.id }, a.name)),
      ),
    );
  }

  /** @param {any} area */
  tint(area) {
    return `var(--c${this.board.drawing.continents.indexOf(area.continent) % 8})`;
  }

  /** @param {string} a @param {string} b @param {boolean} bent */
  route(a, b, bent) {
    const p = /** @type {any} */ (this.place.get(a));
    const q = /** @type {any} */ (this.place.get(b));
    const off = bent ? 0.12 : 0;
    const cx = (p.x + q.x) / 2 - (q.y - p.y) * off;
    const cy = (p.y + q.y) / 2 + (q.x - p.x) * off;
    return s("path", { className: "sea-line", fill: "none", d: `M${p.x} ${p.y}Q${cx} ${cy} ${q.x} ${q.y}` });
  }

  /** @param {any} move */
  way(move) {
    const d = move.details;
    if (d.from) return { from: d.from, to: d.to };
    return d.region ? { to: d.region } : {};
  }

  /** @param {string} id */
  strength(id) {
    const seat = this.board.seat_names[this.message.to_move];
    return this.message.view.regions[id].armies[seat] || 0;
  }

  /** @param {any} message */
  update(message) {
    super.update(message);
    if (this.before && this.before.version !== message.version) this.flash(this.before.view, message.view);
  }

  /** @param {any} before @param {any} now */
  flash(before, now) {
    for (const [id, region] of Object.entries(now.regions)) {
      if (JSON.stringify(region) === JSON.stringify(before.regions[id])) continue;
      const node = this.nodes.get(id);
      node.classList.add("taken");
      setTimeout(() => node.classList.remove("taken"), 900);
    }
  }

  /** @param {string} name */
  colour(name) {
    return seatColour(this.board.seat_names.indexOf(name));
  }

  paint() {
    const view = this.message.view;
    for (const area of this.areas) {
      const holder = view.regions[area.id].controlled_by;
      this.nodes.get(area.id).style.setProperty("--owner", holder ? this.colour(holder) : "var(--land)");
    }
    if (!this.tokens) return;
    this.tokens.replaceChildren(...this.areas.flatMap((area) => this.piecesOf(area, view.regions[area.id])));
  }

  /** @param {any} area @param {any} region */
  piecesOf(area, region) {
    const r = this.size;
    const pieces = [];
    for (const [name, n] of Object.entries(region.armies)) pieces.push(this.army(name, n));
    for (const [name, n] of Object.entries(region.cities)) pieces.push(this.city(name, n));
    for (const token of region.tokens)
      pieces.push(
        s(
          "g",
          {},
          s("path", {
            d: GOOD_SHAPES[token],
            fill: GOOD_COLOURS[token],
            stroke: "#0008",
            transform: `scale(${r / 11}) translate(-10 -10)`,
          }),
        ),
      );
    const rows = pieces.length > 4 ? 2 : 1;
    const across = Math.ceil(pieces.length / rows);
    return pieces.map((piece, i) => {
      const x = ((i % across) - (Math.min(across, pieces.length - Math.floor(i / across) * across) - 1) / 2) * r * 2.25;
      const y = (Math.floor(i / across) - (rows - 1) / 2) * r * 2.3;
      piece.setAttribute("transform", `translate(${area.x + x} ${area.y + y})`);
      return piece;
    });
  }

  /** @param {string} name */
  mark(name) {
    return this.marks[this.board.seat_names.indexOf(name)] || name[0];
  }

  /** @param {string} name @param {any} n */
  army(name, n) {
    const r = this.size;
    return s(
      "g",
      { className: "army", style: { "--owner": this.colour(name) } },
      s("circle", { r, "stroke-width": r * 0.16 }),
      s("text", { className: "count", "font-size": r * 1.15 }, n),
      s("text", { className: "whose", x: r * 0.9, y: -r * 0.9, "font-size": r * 0.72 }, this.mark(name)),
    );
  }

  /** @param {string} name @param {any} n */
  city(name, n) {
    const r = this.size;
    return s(
      "g",
      { className: "army city", style: { "--owner": this.colour(name) } },
      s("path", { d: `M${-r} ${r}V${-r * 0.15}L0 ${-r * 1.05}L${r} ${-r * 0.15}V${r}Z`, "stroke-width": r * 0.16 }),
      s("text", { className: "count", y: r * 0.3, "font-size": r * 0.95 }, `${this.mark(name)}${n > 1 ? n : ""}`),
    );
  }

  /** @param {any} area */
  hint(area) {
    const region = this.message.view.regions[area.id];
    const list = (/** @type {string} */ key, /** @type {Record<string, number>} */ counts) =>
      Object.entries(counts).map(([name, n]) => h("div", {}, `${served(name)}: ${t(key, { n })}`));
    return [
      h("strong", {}, `${area.name}`),
      h(
        "div",
        { className: "soft" },
        t("empire.continent", { name: area.continent }) +
          (area.id === this.board.drawing.start ? t("empire.continent.start") : ""),
      ),
      list("empire.armies", region.armies),
      list("empire.cities", region.cities),
      region.tokens.length ? h("div", {}, t("empire.tokens", { goods: region.tokens.map(goodName).join(", ") })) : null,
      h("div", { className: "soft" }, region.controlled_by ? heldBy(region) : t("empire.held-by-nobody")),
    ];
  }

  /** @param {string} id */
  spoken(id) {
    if (!this.message) return "";
    const region = this.message.view.regions[id];
    const armies = Object.entries(region.armies)
      .map(([name, n]) => `${served(name)} ${n}`)
      .join(", ");
    return `${id}: ${armies || t("empire.empty")}${region.controlled_by ? `, ${heldBy(region)}` : ""}`;
  }

  /** @param {any[]} moves */
  question(moves) {
    return h(
      "span",
      { className: "small soft" },
      t("empire.in", { region: moves[0].details.region || moves[0].details.to }),
    );
  }

  /** @param {any} move */
  button(move) {
    const d = move.details;
    if (d.kind === "destroy")
      return [
        h("span", {
          className: "dot",
          style: { background: this.colour(capital(d.colour)) },
        }),
        ` ${t("empire.button.destroy", { whose: served(d.colour) })}`,
      ];
    return tOr(`empire.button.${d.kind}`, move.text);
  }

  /** The row of cards, and what needs no place on the board. */
  bar() {
    const view = this.message.view;
    const taking = new Map(this.legal.filter((m) => m.details.kind === "card").map((m) => [m.details.place, m]));
    const cards = view.row.map((/** @type {any} */ card, /** @type {number} */ i) =>
      this.rowCard(card, taking.get(i + 1), view),
    );
    const plain = this.legal.filter((m) => ["use", "done", "bid", "start"].includes(m.details.kind));
    const held = view.card ? this.cards.get(view.card) : null;
    const label = (/** @type {any} */ m) =>
      m.details.kind === "use"
        ? t("empire.use", {
            deed: deed(m.details.action, view.left[m.details.action] || this.times(held, m.details.action)),
          })
        : m.details.kind === "done"
          ? t("empire.done")
          : m.details.kind === "bid"
            ? t("empire.bid", { n: m.details.coins })
            : t("empire.starts", { who: served(m.details.colour) });
    return [
      held || plain.length
        ? h(
            "div",
            { className: "deeds" },
            held ? h("span", { className: "small" }, `${t("empire.in-use")} `, this.deeds(held)) : null,
            Object.keys(view.left).length
              ? h(
                  "span",
                  { className: "small soft" },
                  t("empire.left", {
                    deeds: Object.entries(view.left)
                      .map(([k, n]) => deed(k, /** @type {number} */ (n)))
                      .join(", "),
                  }),
                )
              : null,
            plain.map((m) =>
              h(
                "button",
                {
                  type: "button",
                  "data-code": m.code,
                  className: m.details.kind === "done" ? "primary" : "",
                  onclick: () => this.play(m.code),
                },
                label(m),
              ),
            ),
          )
        : null,
      h("div", { className: "card-row", role: "group", "aria-label": t("empire.row"), tabindex: "0" }, cards),
    ];
  }

  /** @param {any} card @param {any} move @param {any} view */
  rowCard(card, move, view) {
    const legal = Boolean(move);
    return h(
      "button",
      {
        type: "button",
        className: `empire-card${legal ? " legal" : ""}`,
        disabled: !legal,
        "data-code": move?.code,
        title: this.worth(card, view),
        onclick: () => legal && this.play(move.code),
      },
      h("span", { className: "coin" }, h("span", { className: "unseen" }, `${t("empire.price")} `), card.price),
      h(
        "span",
        { className: "goods", "aria-hidden": "true" },
        Array.from({ length: card.goods }, () => good(card.good, 20)),
      ),
      h(
        "span",
        { className: "good-name" },
        card.goods > 1 ? `${card.goods} ${goodName(card.good)}` : goodName(card.good),
      ),
      this.deeds(card),
    );
  }

  /** How often a card's action can be used. @param {any} card @param {string} action */
  times(card, action) {
    return card?.actions.find((/** @type {any} */ a) => a.action === action)?.count || 1;
  }

  /** @param {any} card */
  deeds(card) {
    return h(
      "span",
      { className: "deed" },
      card.actions.map((/** @type {any} */ a, /** @type {number} */ i) => [
        i ? h("i", {}, joint(card)) : "",
        h("span", { className: "one-deed" }, deedIcon(a.action), deed(a.action, a.count)),
      ]),
    );
  }

  /** What a card would give the seat to move. @param {any} card @param {any} view */
  worth(card, view) {
    const player = view.players[view.to_move];
    if (!player) return "";
    const has = player.goods[card.good] || 0;
    const steps = this.board.drawing.steps[card.good];
    if (!steps) return `${cardText(card)}. ${t("empire.wild")}`;
    const points = (/** @type {number} */ n) =>
      [0, 1, 2, 3, 5][steps.filter((/** @type {number} */ step) => n >= step).length];
    const then = has + card.goods;
    const now = `${goodName(card.good)}: ${has} → ${then}, ${points(has)}`;
    return `${cardText(card)}. ${now} → ${t("empire.points", { n: points(then) })}.`;
  }

  /** @param {any} view @param {number} seat */
  wallet(view, seat) {
    const player = view.players[seat];
    return [
      h("span", { className: "chip", style: { "--stripe": "#e0a63a" } }, t("empire.coins", { n: player.coins })),
      player.bid !== null && view.phase === "bid"
        ? h(
            "span",
            { className: "chip" },
            player.bid === "sealed" ? t("empire.bid.sealed") : t("empire.bid.of", { n: player.bid }),
          )
        : null,
      left(player.armies_left, t("empire.armies-left"), "M10 2a8 8 0 1 1 0 16a8 8 0 0 1 0-16z"),
      left(player.cities_left, t("empire.cities-left"), DEED_SHAPES.city),
      h("span", { className: "chip plain" }, h("b", {}, t("empire.point", { n: player.points.total }))),
    ];
  }

  /** @param {any} m */
  expected(m) {
    return this.told.expected(m.view, this.cards.get(m.view.card));
  }
  /** @param {import("../game-module.js").SeenMove} move @param {any} before @param {any} after */
  tell(move, before, after) {
    return this.told.tell(move, before, after);
  }
  /** @param {import("../game-module.js").SeenMove} move @param {any} before @param {any} after */
  moment(move, before, after) {
    return this.told.moment(move, before, after);
  }
  /** @param {any} before @param {any} m */
  summary(before, m) {
    return this.told.summary(before, m);
  }
  /** @param {any} m */
  ending(m) {
    return this.told.ending(m);
  }

  /** Goods and points. @param {any} m */
  panels(m) {
    const { players } = m.view;
    const head = h(
      "tr",
      {},
      h("td", {}),
      players.map((/** @type {any} */ p, /** @type {number} */ i) =>
        h(
          "th",
          { scope: "col", title: served(p.name) },
          h("span", { className: "dot", style: { background: seatColour(i) } }),
          players.length > 3 ? ` ${this.marks[i]}` : ` ${served(p.name)}`,
        ),
      ),
    );
    const goods = GOODS.map((name) =>
      h(
        "tr",
        {},
        h("th", { scope: "row", title: this.scale(name) }, good(name, 16), ` ${goodName(name)}`),
        players.map((/** @type {any} */ p) => h("td", {}, p.goods[name] || "·")),
      ),
    );
    const points = ["regions", "continents", "goods", "total"].map((what) =>
      h(
        "tr",
        { className: what === "total" ? "total" : "", title: t("empire.points-now") },
        h("th", { scope: "row" }, t(`empire.for.${what}`)),
        players.map((/** @type {any} */ p) => h("td", {}, p.points[what])),
      ),
    );
    return [
      h(
        "section",
        { className: "panel" },
        h("h3", {}, t("empire.panel", { turn: Math.min(m.view.turns_played + 1, m.view.turns), turns: m.view.turns })),
        h("table", { className: "points" }, h("thead", {}, head), h("tbody", {}, goods, points)),
      ),
    ];
  }

  /** @param {string} name */
  scale(name) {
    const steps = this.board.drawing.steps[name];
    return steps
      ? t("empire.scale", {
          steps: steps.map((/** @type {number} */ n, /** @type {number} */ i) => `${n}: ${[1, 2, 3, 5][i]}`).join(", "),
        })
      : t("empire.any-good");
  }

  /** @param {any} move */
  moveText(move, view = this.message?.view) {
    const d = move.details;
    const card = d.kind === "card" ? view?.row[d.place - 1] : null;
    if (card) return t("empire.move.card", { card: cardText(card), price: card.price });
    const what = d.action ? t(`empire.action.${d.action}`) : "";
    const whose = served(d.colour ?? "");
    const kind = d.kind === "card" ? "some-card" : d.kind;
    return tOr(`empire.move.${kind}`, move.text, { ...d, what, whose });
  }

  /** @param {import("../game-module.js").Reason} reason */
  why(reason) {
    const { seat, points, ...rest } = reason.facts;
    const signed = number(points ?? 0, { signDisplay: "exceptZero" });
    return tOr(`empire.why.${reason.name}`, reason.text, { ...rest, seat: served(seat ?? ""), points: signed });
  }

  /** @param {any} move @returns {Record<string, string>} */
  moveStyle(move) {
    const d = move.details;
    return d.kind === "card" && this.message
      ? { "--stripe": GOOD_COLOURS[this.message.view.row[d.place - 1]?.good] }
      : {};
  }
}

/** @param {any} region */
function heldBy(region) {
  return t("empire.held-by", { who: served(region.controlled_by) });
}

/** The picture on the front page. */
function picture() {
  const tiles = [
    [70, 40, 1],
    [110, 40, 1],
    [70, 80, 1],
    [190, 40, 2],
    [230, 40, 2],
    [230, 80, 2],
    [130, 110, 0],
    [170, 110, 0],
    [210, 120, 0],
  ];
  return [
    s("rect", { width: 320, height: 190, fill: "var(--sea)" }),
    tiles.map(([x, y]) =>
      s("rect", { x, y, width: 36, height: 36, rx: 9, fill: "var(--land)", stroke: "var(--line)" }),
    ),
    tiles.map(([x, y, c], i) =>
      i % 2
        ? s("circle", { cx: x + 18, cy: y + 18, r: 8, fill: `var(--p${c})` })
        : s("path", { d: `M${x + 9} ${y + 27} v-12 l9 -7 l9 7 v12 z`, fill: `var(--p${c})` }),
    ),
    [0, 1, 2, 3].map((i) =>
      s("rect", {
        x: 60 + i * 54,
        y: 158,
        width: 44,
        height: 54,
        rx: 6,
        fill: "var(--panel)",
        stroke: "var(--accent)",
      }),
    ),
    fog(),
  ];
}

/** @type {GameModule["rules"]} */
const rules = () => ({
  title: t("empire.rules.title"),
  parts: [
    [
      t("empire.rules.turn"),
      [t("empire.rules.turn.1"), t("empire.rules.turn.2"), t("empire.rules.turn.3")],
      ["card:after", "armies:after", "land:after", "sea:after"],
    ],
    [
      t("empire.rules.points"),
      [t("empire.rules.points.1"), t("empire.rules.points.2")],
      ["city:after", "destroy:after"],
    ],
    [t("empire.rules.here"), [t("empire.rules.here.1")]],
  ],
  more: [[t("empire.full"), [1, 2, 3, 4, 5, 6].map((n) => t(`empire.full.${n}`))]],
});

/** @type {GameModule["lessons"]} */
const lessons = [
  ["empire.lesson.card", (_m, mine) => mine.some((x) => x.details.kind === "card")],
  [
    "empire.lesson.action",
    (_m, mine) => mine.some((x) => ["army", "move", "sail", "city", "destroy"].includes(x.details.kind)),
  ],
  ["empire.lesson.region", (m) => m.mine.some((/** @type {number} */ s) => m.view.players[s].points.regions > 0)],
  ["empire.lesson.goods", (m) => m.mine.some((/** @type {number} */ s) => m.view.players[s].points.goods > 0)],
];

/** @type {GameModule["step"]} */
const step = (name) => ({
  ask: t(`empire.ask.${name}`),
  right: t(`empire.right.${name}`),
  wrong: t(`empire.wrong.${name}`),
});

/** What to think of now, in a first game. @param {any} m @param {boolean} turn */
function advice(m, turn) {
  if (!turn) return t("empire.advice.others");
  return m.view.card ? t("empire.advice.action") : t("empire.advice.card");
}

/** @type {GameModule} */
export default {
  Board: EmpireBoard,
  styles: [MAP_STYLES, new URL("empire.css", import.meta.url).pathname],
  texts: "/texts/empire",
  picture,
  rules,
  lessons,
  step,
  advice,
};
