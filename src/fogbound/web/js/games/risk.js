// Risk on the page: a map with armies, dice, cards, bonuses, the odds of an attack; its rules and lessons.
// @ts-check
import { api } from "../api.js";
import { h, s, seatColour, show } from "../dom.js";
import { fog } from "../drawing/fog.js";
import { apart, placed } from "../drawing/labels.js";
import { MAP_STYLES, MapBoard } from "../drawing/map.js";
import { served, t, tOr } from "../texts.js";
import { marks, withShares } from "../words.js";
import { armies, RiskTold, roundOf } from "./risk-told.js";

/** @typedef {import("../game-module.js").GameModule} GameModule */
/** @typedef {{kind: string, from?: string, to?: string, left: number}} Plan */

/** @type {Map<string, Promise<any>>} */
const known = new Map();
/** @param {number} attackers @param {number} defenders */
function odds(attackers, defenders) {
  const key = `${Math.min(attackers, 60)},${Math.min(defenders, 60)}`;
  const [a, d] = key.split(",").map(Number);
  if (!known.has(key))
    known.set(
      key,
      api.query("risk", "odds", { attackers: a, defenders: d }).catch(() => null),
    );
  return /** @type {Promise<any>} */ (known.get(key));
}

/** A long name in two lines. @param {string} name */
function broken(name) {
  const words = name.split(" ");
  if (name.length <= 12 || words.length < 2) return [name];
  return [words[0], words.slice(1).join(" ")];
}

/** A board with the names of its places in the reader's language. @param {any} board */
function inWords(board) {
  const named = (/** @type {any[]} */ list) => list.map((each) => ({ ...each, name: served(each.name) }));
  const { territories, continents } = board.drawing;
  return { ...board, drawing: { ...board.drawing, territories: named(territories), continents: named(continents) } };
}

class RiskBoard extends MapBoard {
  /** @param {HTMLElement} area @param {any} board @param {(code: number) => void} play */
  constructor(area, board, play) {
    board = inWords(board);
    super(
      area,
      board,
      play,
      board.drawing.territories.map((/** @type {any} */ t) => ({ ...t, id: t.territory })),
    );
    this.index = new Map(this.areas.map((a, i) => [a.id, i]));
    this.size = this.unit * 0.1;
    this.marks = marks(board.seat_names.map(served));
    this.told = new RiskTold(board);
    /** What is left of a number of armies that goes in several steps. @type {Plan | null} */
    this.plan = null;
    /** @type {Set<string>} */
    this.picked = new Set();
    this.spread();
    this.addNames();
    this.addPieces();
  }

  /** Pieces that would cover each other move a little apart. */
  spread() {
    apart(this.areas, this.size * 2.9).forEach((at, i) => Object.assign(this.areas[i], at));
  }

  /** @param {any} under @param {any} over */
  decorate(under, over) {
    const { sea, continents } = this.board.drawing;
    const borders = /** @type {string[][]} */ (this.board.drawing.borders);
    over.append(this.divides());
    const overland = borders.filter(([a, b]) => !this.touch(a, b)); // drawn as the sea ways are: one can go there
    const ways = [
      ...sea,
      ...overland.filter(
        (pair) => !sea.some((/** @type {string[]} */ way) => `${[...way].sort()}` === `${[...pair].sort()}`),
      ),
    ];
    for (const [a, b] of ways) for (const line of this.sealine(a, b, this.box)) under.append(line);
    continents.forEach((/** @type {any} */ continent, /** @type {number} */ number) => {
      const members = this.areas.filter((a) => continent.territories.includes(a.id));
      const group = s("g", { className: "continent", style: { "--tint": `var(--c${number % 8})` } });
      for (const member of members)
        group.append(s("path", { d: this.path(member), "stroke-width": this.unit * 0.075 }));
      under.append(group);
    });
  }

  /** Each name under its piece, or beside or above it where there is more room. */
  addNames() {
    const size = this.unit * 0.088;
    const lines = this.areas.map((area) => broken(area.name));
    const pieces = this.areas.map(({ x, y }) => ({ x, y, w: this.size * 2.6, h: this.size * 2.6 }));
    const candidates = this.areas.map(({ x, y }, i) => {
      const w = Math.max(...lines[i].map((line) => line.length)) * size * 0.58;
      const h = lines[i].length * size * 1.05;
      const [down, side] = [this.size * 1.45 + h / 2, this.size * 1.5 + w / 2];
      const offsets = [
        [0, down],
        [0, -down],
        [-side, 0],
        [side, 0],
        [-side * 0.7, down * 0.9],
        [side * 0.7, down * 0.9],
        [-side * 0.7, -down * 0.9],
        [side * 0.7, -down * 0.9],
        [0, down * 1.6],
      ];
      return offsets.map(([dx, dy]) => ({ x: x + dx, y: y + dy, w, h }));
    });
    const found = placed(candidates, pieces);
    this.names = s(
      "g",
      { className: "names", "font-size": size },
      this.areas.map((area, i) => {
        const top = found[i].y - (lines[i].length / 2 - 0.78) * size * 1.05;
        return s(
          "text",
          { style: { "--tint": this.tint(area) }, "data-name": area.id },
          lines[i].map((line, n) => s("tspan", { x: found[i].x, y: top + n * size * 1.05 }, line)),
        );
      }),
    );
    this.over.append(this.names);
  }

  /**
   * A dashed line over water; around the edge of the map where that is shorter.
   * @param {string} a
   * @param {string} b
   * @param {number[]} box
   */
  sealine(a, b, box) {
    const p = this.place.get(a);
    const q = this.place.get(b);
    if (!p || !q) return [];
    const line = (/** @type {number[]} */ from, /** @type {number[]} */ to) =>
      s("line", { className: "sea-line", x1: from[0], y1: from[1], x2: to[0], y2: to[1] });
    if (Math.abs(p.x - q.x) < box[2] * 0.6) return [line([p.x, p.y], [q.x, q.y])];
    const [west, east] = p.x < q.x ? [p, q] : [q, p];
    const y = (west.y + east.y) / 2;
    return [line([west.x, west.y], [box[0], y]), line([east.x, east.y], [box[0] + box[2], y])];
  }

  /** @param {any} area */
  tint(area) {
    return `var(--c${area.continent % 8})`;
  }

  addPieces() {
    const r = this.size;
    this.pieces = new Map(
      this.areas.map((area) => {
        const node = s(
          "g",
          { className: "army", transform: `translate(${area.x} ${area.y})` },
          s("circle", { r: r * 1.25, "stroke-width": r * 0.16 }),
          s("text", { className: "count", "font-size": r * 1.3 }),
          s("text", { className: "whose", x: r * 1.25, y: -r * 1.05, "font-size": r * 0.8 }),
        );
        this.over.append(node);
        return [area.id, node];
      }),
    );
  }

  /** @param {any} move */
  way(move) {
    return { from: move.details.from, to: move.details.to };
  }

  /** @param {string} id */
  strength(id) {
    return this.armies(id);
  }

  /** @param {string} id */
  armies(id) {
    return this.message.view.armies[/** @type {number} */ (this.index.get(id))];
  }
  /** @param {string} id */
  owner(id) {
    const owner = this.message.view.owners[/** @type {number} */ (this.index.get(id))];
    return owner === "neutral" ? -1 : owner;
  }
  /** @param {number|null} owner */
  ownerName(owner) {
    return owner === null ? t("risk.free") : owner < 0 ? t("risk.neutral") : served(this.board.seat_names[owner]);
  }

  /** @param {any} message */
  update(message) {
    super.update(message);
    if (this.plan && this.before?.version !== message.version) this.follow();
    if (this.before && this.before.version !== message.version) this.celebrate(this.before.view, message.view);
  }

  paint() {
    const view = this.message.view;
    this.areas.forEach((area, i) => {
      const owner = this.owner(area.id);
      const colour = owner === null ? "var(--land)" : seatColour(owner);
      /** @type {any} */ (this.nodes.get(area.id)).style.setProperty("--owner", colour);
      const piece = /** @type {any} */ (this.pieces?.get(area.id));
      if (!piece) return;
      piece.style.setProperty("--owner", colour);
      piece.style.display = owner === null ? "none" : "";
      piece.querySelector(".count").textContent = String(view.armies[i]);
      piece.querySelector(".whose").textContent = owner === null || owner < 0 ? "" : this.marks[owner];
    });
  }

  /** Conquered land flashes. @param {any} before @param {any} now */
  celebrate(before, now) {
    now.owners.forEach((/** @type {any} */ owner, /** @type {number} */ i) => {
      if (before.owners[i] === owner) return;
      const node = this.nodes.get(this.areas[i].id);
      node.classList.add("taken");
      setTimeout(() => node.classList.remove("taken"), 900);
    });
  }

  /** @param {any} area */
  hint(area) {
    const owner = this.owner(area.id);
    const continent = this.board.drawing.continents[area.continent];
    const line = h("div", {});
    const attack = this.legal
      .filter((m) => m.details.kind === "attack" && m.details.to === area.id)
      .map((m) => m.details.from);
    const from =
      this.selected && attack.includes(this.selected)
        ? this.selected
        : attack.sort((a, b) => this.armies(b) - this.armies(a))[0];
    if (from) this.tellOdds(line, from, area.id);
    return [
      h("strong", {}, area.name),
      h("div", { className: "soft" }, `${continent.name} (+${continent.bonus})`),
      h("div", {}, owner === null ? t("risk.free") : `${this.ownerName(owner)}, ${armies(this.armies(area.id))}`),
      line,
    ];
  }

  /** @param {HTMLElement} line @param {string} from @param {string} to */
  async tellOdds(line, from, to) {
    const found = await odds(this.armies(from) - 1, this.armies(to));
    if (!found) return;
    show(
      line,
      h(
        "div",
        {},
        `${t("risk.odds.from", { place: this.place.get(from)?.name, n: this.armies(from) })} `,
        h("strong", {}, `${Math.round(found.conquered * 100)}%`),
        ` ${t("risk.odds.conquer")}`,
      ),
      h(
        "div",
        { className: "soft" },
        t("risk.odds.losses", { a: found.attackers_lost.toFixed(1), b: found.defenders_lost.toFixed(1) }),
      ),
    );
  }

  /** @param {string} id */
  spoken(id) {
    const area = this.place.get(id);
    if (!area || !this.message) return "";
    return `${area.name}: ${this.ownerName(this.owner(id))}, ${armies(this.armies(id))}`;
  }

  /** @param {any[]} moves */
  question(moves) {
    const { kind, from, to } = moves[0].details;
    const target = this.place.get(to)?.name || "";
    if (kind !== "attack" && kind !== "battle")
      return h(
        "span",
        { className: "small soft" },
        kind === "fortify"
          ? t("risk.menu.fortify", { from: this.place.get(from)?.name, to: target })
          : t("risk.menu.place", { to: target }),
      );
    const line = h("div", { className: "small" });
    this.tellOdds(line, from, to);
    return [h("strong", {}, t("risk.menu.attack", { to: target })), line];
  }

  /** @param {any} move */
  button(move) {
    const d = move.details;
    if (d.kind === "attack")
      return [
        `${t("risk.roll", { n: d.dice })} `,
        h(
          "span",
          { className: "few-dice", "aria-hidden": "true" },
          Array.from({ length: d.dice }, () => pips(5)),
        ),
      ];
    if (d.kind === "battle") return d.down_to <= 1 ? t("risk.fight") : t("risk.fight.keep", { n: d.down_to });
    return String(d.armies ?? move.text);
  }

  /** Any number of armies, where several can be placed or moved. @param {any[]} moves @param {() => void} done */
  chooser(moves, done) {
    const { kind, from, to } = moves[0].details;
    const most = Math.max(...moves.map((m) => m.details.armies ?? 0));
    if (most < 2) return null;
    const number = h("input", { type: "number", min: 1, max: most, value: most, "aria-label": t("risk.how-many") });
    const slider = h("input", { type: "range", min: 1, max: most, value: most, "aria-label": t("risk.number") });
    slider.oninput = () => (number.value = slider.value);
    number.oninput = () => (slider.value = number.value);
    const go = (/** @type {Event} */ e) => {
      e.preventDefault();
      done();
      this.plan = { kind, from, to, left: Math.min(most, Math.max(1, Math.round(Number(number.value)) || 1)) };
      this.follow();
    };
    return h(
      "form",
      { className: "how-many", onsubmit: go },
      slider,
      number,
      h("button", { className: "primary" }, "OK"),
    );
  }

  /** The next step of a number that no single move has: the largest that fits. */
  follow() {
    const plan = this.plan;
    const fits = this.legal.filter(
      (m) => m.details.kind === plan?.kind && m.details.from === plan?.from && m.details.to === plan?.to,
    );
    const next = fits.filter((m) => m.details.armies <= (plan?.left ?? 0)).pop();
    this.plan = plan && next ? { ...plan, left: plan.left - next.details.armies } : null;
    if (this.plan?.left === 0) this.plan = null;
    if (next) this.play(next.code);
  }

  /** What needs no place: how many follow, stay, end. */
  bar() {
    const plain = this.legal.filter((m) => ["move", "stay", "end attack", "end turn"].includes(m.details.kind));
    if (!plain.length) return [];
    const following = plain.filter((m) => m.details.kind === "move");
    if (following.length > 3)
      return [
        h(
          "div",
          { className: "panel follow" },
          `${t("risk.follow")} `,
          this.chooser(following, () => {}),
        ),
        ...this.barButtons(plain.filter((m) => m.details.kind !== "move")),
      ];
    return this.barButtons(plain);
  }

  /** @param {any[]} plain */
  barButtons(plain) {
    const label = (/** @type {any} */ m) => t(`risk.bar.${m.details.kind.replace(" ", "-")}`, { n: m.details.armies });
    return plain.map((m) =>
      h(
        "button",
        {
          type: "button",
          "data-code": m.code,
          className: m.details.kind === "end turn" ? "primary" : "",
          onclick: () => this.play(m.code),
        },
        label(m),
      ),
    );
  }

  /** @param {any} move */
  moveText(move) {
    const d = move.details;
    const name = (/** @type {string} */ id) => this.place.get(id)?.name || id;
    const on = d.armies_on ? t("risk.move.exchange.on", { to: name(d.armies_on) }) : "";
    if (d.kind === "exchange") return t("risk.move.exchange", { cards: d.cards.map(name).join(" + ") }) + on;
    const n = d.armies ?? d.dice ?? d.down_to;
    return t(`risk.move.${d.kind.replace(" ", "-")}`, { n, from: name(d.from), to: name(d.to) });
  }

  /** @param {import("../game-module.js").Reason} reason */
  why(reason) {
    const name = (/** @type {string} */ id) => this.place.get(id)?.name || id;
    const { from, to, seat, ...rest } = reason.facts;
    const named = { from: name(from), to: name(to), seat: served(seat ?? "") };
    return tOr(`risk.why.${reason.name}`, reason.text, { ...withShares(rest), ...named });
  }

  /** @param {any} view @param {number} seat */
  wallet(view, seat) {
    const player = view.players[seat];
    if (player.destroyed_by !== null)
      return [
        h(
          "span",
          { className: "chip" },
          t("risk.destroyed-by", { who: served(this.board.seat_names[player.destroyed_by]) }),
        ),
      ];
    return [
      h("span", { className: "chip plain", title: t("risk.territories") }, t("risk.land", { n: player.territories })),
      h("span", { className: "chip plain" }, armies(player.armies)),
      player.to_set_up ? null : h("span", { className: "chip plain" }, t("risk.cards", { n: player.cards })),
      player.to_set_up ? h("span", { className: "chip" }, t("risk.to-set-up", { n: player.to_set_up })) : null,
      player.mission ? h("span", { className: "chip", title: t("risk.mission") }, served(player.mission)) : null,
    ];
  }

  /** @param {any} m */
  panels(m) {
    return [this.dicePanel(m.view), this.handPanel(m), this.bonusPanel(m.view)];
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

  /** @param {any} view */
  dicePanel(view) {
    const [attack, defend] = view.dice;
    if (!view.from || view.phase === "fortify")
      return h(
        "section",
        { className: "panel battle" },
        h("h3", {}, t("risk.battle")),
        h("p", { className: "small soft" }, t("risk.battle.none")),
      );
    const key = `${this.message.version}:${attack}:${defend}`;
    const rolled = key !== this.rolled && attack.length > 0;
    this.rolled = key;
    const die = (/** @type {number} */ n, /** @type {string} */ side, /** @type {number} */ i) =>
      h(
        "span",
        { className: `die ${side}${rolled ? " rolling" : ""}`, style: { "animation-delay": `${i * 60}ms` } },
        pips(n),
      );
    const way = `${this.place.get(view.from)?.name} › ${this.place.get(view.to)?.name}`;
    const [a, b] = view.losses;
    const lost = a || b ? t("risk.battle.lost", { a, b }) : "";
    const dice = { attack: attack.join(", "), defend: defend.join(", ") };
    const said = attack.length ? `${t("risk.battle.rolled", dice)} ` : "";
    return h(
      "section",
      { className: "panel battle" },
      h("h3", {}, t("risk.battle")),
      h("div", { className: "small" }, way, lost && h("span", { className: "soft" }, ` · ${lost}`)),
      attack.length
        ? h(
            "div",
            { className: "dice", role: "img", "aria-label": said },
            attack.map((/** @type {number} */ n, /** @type {number} */ i) => die(n, "attacker", i)),
            h("span", { className: "soft" }, t("risk.battle.vs")),
            defend.map((/** @type {number} */ n, /** @type {number} */ i) => die(n, "defender", i)),
          )
        : null,
    );
  }

  /** @param {any} m */
  handPanel(m) {
    const seat = m.viewer_seat ?? m.to_move;
    const player = m.view.players[seat];
    if (!player) return null;
    const mission = player.mission
      ? h(
          "p",
          { className: "mission" },
          h("span", { className: "soft small" }, `${t("risk.your-mission")} `),
          served(player.mission),
        )
      : null;
    if (!player.hand?.length)
      return mission && h("section", { className: "panel" }, h("h3", {}, t("risk.secret")), mission);
    const exchanges = this.legal.filter((x) => x.details.kind === "exchange");
    const held = new Set(player.hand.map((/** @type {any} */ c) => c.card));
    for (const card of this.picked) if (!held.has(card)) this.picked.delete(card);
    const cards = h("div", { className: "hand" });
    const turnIn = h("div", { className: "row" });
    const draw = () => {
      show(
        cards,
        player.hand.map((/** @type {any} */ c) => this.card(c, exchanges, draw)),
      );
      const fit = exchanges.filter(
        (x) => x.details.cards.every((/** @type {string} */ c) => this.picked.has(c)) && this.picked.size === 3,
      );
      show(
        turnIn,
        fit.length
          ? fit.map((x) =>
              h(
                "button",
                {
                  type: "button",
                  className: "primary",
                  "data-code": x.code,
                  onclick: () => {
                    this.picked.clear();
                    this.play(x.code);
                  },
                },
                x.details.armies_on
                  ? t("risk.turn-in.on", { place: this.place.get(x.details.armies_on)?.name })
                  : t("risk.turn-in"),
              ),
            )
          : exchanges.length
            ? h("span", { className: "small soft" }, this.picked.size === 3 ? t("risk.no-set") : t("risk.choose-set"))
            : h("span", { className: "small soft" }, t("risk.sets-so-far", { n: m.view.sets_turned_in })),
      );
    };
    draw();
    return h(
      "section",
      { className: "panel" },
      h("h3", {}, t("risk.cards-of", { who: served(this.board.seat_names[seat]) })),
      mission,
      cards,
      turnIn,
    );
  }

  /** @param {any} card @param {any[]} exchanges @param {() => void} draw */
  card(card, exchanges, draw) {
    const can = exchanges.some((x) => x.details.cards.includes(card.card));
    const on = this.picked.has(card.card);
    const toggle = () => {
      if (on) this.picked.delete(card.card);
      else if (this.picked.size < 3) this.picked.add(card.card);
      draw();
    };
    const name = this.place.get(card.card)?.name || t("risk.any");
    return h(
      "button",
      {
        type: "button",
        className: `risk-card${on ? " picked" : ""}`,
        disabled: !can,
        "aria-pressed": String(on),
        "aria-label": `${tOr(`risk.symbol.${card.symbol}`, card.symbol)}, ${name}`,
        onclick: toggle,
      },
      symbol(card.symbol),
      h("span", {}, name),
    );
  }

  /** @param {any} view */
  bonusPanel(view) {
    const rows = this.board.drawing.continents.map((/** @type {any} */ c, /** @type {number} */ i) => {
      const owners = new Set(
        c.territories.map((/** @type {string} */ t) => view.owners[/** @type {number} */ (this.index.get(t))]),
      );
      const holder = owners.size === 1 ? [...owners][0] : null;
      const held = typeof holder === "number" ? holder : null;
      return h(
        "div",
        { className: "bonus" },
        h("span", { className: "swatch", style: { background: `var(--c${i % 8})` } }),
        h("span", {}, c.name),
        h("span", { className: "soft" }, held === null ? "" : served(this.board.seat_names[held])),
        h("b", {}, `+${c.bonus}`),
      );
    });
    return h(
      "section",
      { className: "panel" },
      h(
        "h3",
        {},
        t(view.rounds ? "risk.continents.of" : "risk.continents", { round: roundOf(view), rounds: view.rounds }),
      ),
      h("div", { className: "bonuses" }, rows),
    );
  }
}

const SPOTS = /** @type {Record<number, number[][]>} */ ({
  1: [[2, 2]],
  2: [
    [1, 1],
    [3, 3],
  ],
  3: [
    [1, 1],
    [2, 2],
    [3, 3],
  ],
  4: [
    [1, 1],
    [1, 3],
    [3, 1],
    [3, 3],
  ],
  5: [
    [1, 1],
    [1, 3],
    [2, 2],
    [3, 1],
    [3, 3],
  ],
  6: [
    [1, 1],
    [1, 2],
    [1, 3],
    [3, 1],
    [3, 2],
    [3, 3],
  ],
});
/** @param {number} n */
function pips(n) {
  return s(
    "svg",
    { viewBox: "0 0 4 4", "aria-hidden": "true" },
    (SPOTS[n] || []).map(([y, x]) => s("circle", { cx: x, cy: y, r: 0.42 })),
  );
}

/** Small drawings for the cards. @param {string} name */
function symbol(name) {
  const foot = "M12 4a3 3 0 1 1 0 6a3 3 0 0 1 0-6M8 11h8l2 8h-3l-1 8h-4l-1-8H6zM18 9l1-7h1v18h-1z";
  const horse = "M6 26l2-9l-3-4l3-6l6-3l2 2l4 1l2 5l-3 1l-3-1l-1 5l5 4l-1 6h-3v-5l-5-2l-3 6z";
  const gun = "M3 17L19 7l2 3L8 19zM9 15a5 5 0 1 1-.01 0M9 18a2 2 0 1 0 .01 0M15 22h8v2H13z";
  const paths = /** @type {Record<string, string[]>} */ ({ infantry: [foot], cavalry: [horse], artillery: [gun] })[
    name
  ];
  if (paths)
    return s(
      "svg",
      { viewBox: "0 0 26 30", "aria-hidden": "true" },
      paths.map((d) => s("path", { d, "fill-rule": "evenodd" })),
    );
  return s(
    "svg",
    { viewBox: "0 0 78 30", "aria-hidden": "true" },
    [foot, horse, gun].map((d, i) => s("path", { d, transform: `translate(${i * 26} 0)`, "fill-rule": "evenodd" })),
  );
}

/** The picture on the front page. */
function picture() {
  const lands = [
    "M18 66Q22 34 58 30Q92 22 118 44Q124 70 106 92Q82 96 58 112Q26 98 18 66Z",
    "M118 44Q146 26 172 36Q196 52 190 78Q172 96 152 106Q128 100 106 92Q124 70 118 44Z",
    "M58 112Q82 96 106 92Q128 100 152 106Q150 134 136 154Q108 168 82 158Q62 140 58 112Z",
    "M204 58Q226 26 254 30Q290 36 302 62Q298 92 280 104Q254 116 232 108Q206 92 204 58Z",
    "M232 108Q254 116 280 104Q304 124 298 150Q276 172 246 168Q214 160 208 138Q214 120 232 108Z",
  ];
  const who = [0, 0, 1, 2, 3];
  const armies = [7, 3, 4, 9, 2];
  const centre = [
    [66, 68],
    [146, 70],
    [106, 128],
    [254, 68],
    [254, 138],
  ];
  return [
    s("rect", { width: 320, height: 190, fill: "var(--sea)" }),
    s("path", { d: "M190 70L208 66M150 140L210 142", className: "sea-line", fill: "none" }),
    lands.map((d, i) =>
      s("path", {
        d,
        fill: `color-mix(in srgb, var(--p${who[i]}) 62%, var(--land))`,
        stroke: "var(--board)",
        "stroke-width": 2.5,
      }),
    ),
    centre.map(([x, y], i) =>
      s(
        "g",
        { className: "army", style: { "--owner": `var(--p${who[i]})` }, transform: `translate(${x} ${y})` },
        s("circle", { r: 15, "stroke-width": 2 }),
        s("text", { className: "count", "font-size": 16 }, armies[i]),
      ),
    ),
    [
      [
        168,
        118,
        [
          [0, 0],
          [-5, -5],
          [5, 5],
        ],
        -12,
      ],
      [
        186,
        146,
        [
          [-5, -5],
          [5, 5],
          [-5, 5],
          [5, -5],
          [0, 0],
        ],
        14,
      ],
    ].map(([x, y, dots, turn]) =>
      s(
        "g",
        { transform: `translate(${x} ${y}) rotate(${turn})` },
        s("rect", { x: -10, y: -10, width: 20, height: 20, rx: 5, fill: "#c8433b" }),
        /** @type {number[][]} */ (/** @type {unknown} */ (dots)).map(([cx, cy]) =>
          s("circle", { cx, cy, r: 1.9, fill: "#fff" }),
        ),
      ),
    ),
    fog(),
  ];
}

/** @type {GameModule["rules"]} */
const rules = () => ({
  title: t("risk.rules.title"),
  parts: [
    [t("risk.rules.aim"), [t("risk.rules.aim.1")]],
    [
      t("risk.rules.turn"),
      [t("risk.rules.turn.1"), t("risk.rules.turn.2"), t("risk.rules.turn.3")],
      ["place:after", "attack:after", "follow:after", "fortify:after"],
    ],
    [t("risk.rules.cards"), [t("risk.rules.cards.1"), t("risk.rules.cards.2")], ["cards:after", "continent:after"]],
    [t("risk.rules.here"), [t("risk.rules.here.1"), t("risk.rules.here.2")], ["odds"]],
  ],
  more: [[t("risk.full"), [1, 2, 3, 4, 5, 6].map((n) => t(`risk.full.${n}`))]],
});

/** @type {GameModule["lessons"]} */
const lessons = [
  ["risk.lesson.place", (_m, mine) => mine.some((x) => x.details.kind === "place")],
  ["risk.lesson.attack", (_m, mine) => mine.some((x) => ["attack", "battle"].includes(x.details.kind))],
  ["risk.lesson.conquer", (_m, mine) => mine.some((x) => ["move", "stay"].includes(x.details.kind))],
  ["risk.lesson.end", (_m, mine) => mine.some((x) => x.details.kind === "end turn" || x.details.kind === "fortify")],
  ["risk.lesson.exchange", (_m, mine) => mine.some((x) => x.details.kind === "exchange")],
];

/** @type {GameModule["goal"]} */
const goal = (asked) => tOr(`risk.goal.${asked.name}`, asked.text, { continent: served(asked.continent ?? "") });

/** @type {GameModule["step"]} */
const step = (name) => ({
  ask: t(`risk.ask.${name}`),
  right: t(`risk.right.${name}`),
  wrong: t(`risk.wrong.${name}`),
});

/** What to think of now, in a first game. @param {any} m @param {boolean} turn */
function advice(m, turn) {
  return turn ? tOr(`risk.advice.${m.view.phase}`, "") : t("risk.advice.others");
}

/** @type {GameModule} */
export default {
  Board: RiskBoard,
  styles: [MAP_STYLES, new URL("risk.css", import.meta.url).pathname],
  texts: "/texts/risk",
  picture,
  rules,
  lessons,
  step,
  goal,
  advice,
};
