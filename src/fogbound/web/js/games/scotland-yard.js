// Scotland Yard on the page: stations and lines, pieces, wallets, the travel log; its rules, lessons and exact values.
// @ts-check
import { h, s, seatColour, show } from "../dom.js";
import { fog } from "../drawing/fog.js";
import { apart } from "../drawing/labels.js";
import { ask, closeMenu } from "../drawing/popover.js";
import { around, isSmall, putBeside, Zoom } from "../drawing/zoom.js";
import { number, served, t, tOr } from "../texts.js";
import { marks, withShares } from "../words.js";
import { scenery } from "./yard-scenery.js";
import { ticketName, wayOfX, YardTold } from "./yard-told.js";

/**
 * @typedef {import("../game-module.js").GameModule} GameModule
 * @typedef {{station: number, x: number, y: number}} Station
 * @typedef {{from: number, to: number, transport: string}} Link
 */

const MR_X = "#1a1d24"; // the colour of his piece
const FINGER = 36; // pixels that a finger hits
const WIDTH = 1000; // of every board once it is drawn, whatever units its file uses

class YardBoard {
  /** @param {HTMLElement} area @param {any} board @param {(code: number) => void} play */
  constructor(area, board, play) {
    this.area = area;
    this.board = board;
    this.play = play;
    this.told = new YardTold(board);
    const given = /** @type {Station[]} */ (board.drawing.stations);
    const [x, y, w, hgt] = around(given, 0);
    const zoom = WIDTH / Math.max(w, hgt, 1e-9);
    /** From the units of the file to those of the drawing. @type {(x: number, y: number) => number[]} */
    this.put = (px, py) => [(px - x) * zoom, (py - y) * zoom];
    this.stations = given.map((st) => ({ station: st.station, x: (st.x - x) * zoom, y: (st.y - y) * zoom }));
    this.place = new Map(this.stations.map((st) => [st.station, st]));
    this.scale = this.spacing();
    this.radius = Math.min(this.scale * 0.27, WIDTH * 0.045);
    apart(this.stations, this.radius * 2.45).forEach((at, i) => Object.assign(this.stations[i], at));
    /** @type {Map<number, SVGGElement>} */
    this.nodes = new Map();
    /** @type {any[]} */
    this.legal = [];
    this.draw();
  }

  /** A typical distance between neighbours sets the size of everything. */
  spacing() {
    const lengths = this.board.drawing.links
      .map((/** @type {Link} */ l) => this.length(l))
      .sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
    return Math.max(lengths[Math.floor(lengths.length * 0.3)] || WIDTH / 10, 1e-6);
  }

  /** @param {Link} l */
  length(l) {
    const [a, b] = this.ends(l);
    return Math.hypot(a.x - b.x, a.y - b.y);
  }

  /** @param {Link} l @returns {[Station, Station]} */
  ends(l) {
    return [/** @type {Station} */ (this.place.get(l.from)), /** @type {Station} */ (this.place.get(l.to))];
  }

  draw() {
    const r = this.radius;
    this.ground = s("g", { "aria-hidden": "true" }, scenery(this.board.drawing.stations, this.put));
    this.lines = s("g", { "aria-hidden": "true" });
    this.marks = s("g", { "aria-hidden": "true", className: "marks" });
    this.dots = s("g", {});
    this.signs = s("g", { "aria-hidden": "true" });
    this.pieces = s("g", { "aria-hidden": "true" });
    this.svg = s(
      "svg",
      { className: "board yard", role: "group", "aria-label": t("board.label") },
      this.ground,
      this.lines,
      this.marks,
      this.dots,
      this.signs,
      this.pieces,
    );
    const order = this.board.drawing.transports;
    const links = [...this.board.drawing.links].sort(
      (/** @type {Link} */ a, /** @type {Link} */ b) => order.indexOf(b.transport) - order.indexOf(a.transport),
    );
    for (const link of links) this.lines.append(...this.line(link, r));
    for (const st of this.stations) this.dots.append(this.dot(st, r));
    this.turnMark = s(
      "g",
      { className: "turn-mark" },
      s("circle", { r: r * 1.75, "stroke-width": r * 0.22 }),
      s("path", { d: `M${-r * 0.6} ${-r * 3.1}h${r * 1.2}L0 ${-r * 2.1}Z` }),
    );
    this.pieces.append(this.turnMark);
    this.tip = h("div", { className: "tip", hidden: true });
    this.whole = around(this.stations, this.scale * 0.8);
    this.zoom = new Zoom(this.svg, this.whole);
    show(this.area, this.svg, this.zoom.tools, this.tip, this.key());
  }

  /** A ticket's sign where there is little room; no two are alike. @param {string} name */
  short(name) {
    const names = [...this.board.drawing.transports, "black"];
    return name === "double" ? "2×" : marks(names.map(ticketName))[names.indexOf(name)];
  }

  /** What the lines mean: their forms differ as their colours do. */
  key() {
    const kinds = this.board.drawing.transports;
    return h(
      "div",
      { className: "key", "aria-hidden": "true" },
      kinds.map((/** @type {string} */ kind) =>
        h(
          "span",
          {},
          s("svg", { viewBox: "0 0 34 12", width: 34, height: 12 }, strokes(kind, "M1 6H33", 9)),
          h("b", {}, this.short(kind)),
          h("span", { className: "kind" }, ticketName(kind)),
        ),
      ),
    );
  }

  /** Several transports between two stations run side by side. @param {Link} link @param {number} r */
  line(link, r) {
    const [a, b] = this.ends(link);
    const same = this.board.drawing.links.filter((/** @type {Link} */ l) => l.from === link.from && l.to === link.to);
    const rank = same.findIndex((/** @type {Link} */ l) => l.transport === link.transport) - (same.length - 1) / 2;
    const length = this.length(link) || 1;
    const off = rank * r * 0.62;
    const [nx, ny] = [(-(b.y - a.y) / length) * off, ((b.x - a.x) / length) * off];
    const at = (/** @type {number} */ v) => v.toFixed(1);
    return strokes(link.transport, `M${at(a.x + nx)} ${at(a.y + ny)}L${at(b.x + nx)} ${at(b.y + ny)}`, r);
  }

  /** What leads away from a station shows in its form. @param {Station} st @param {number} r */
  dot(st, r) {
    const size = String(st.station).length > 2 ? 0.86 : 1.02;
    const kinds = new Set(
      this.board.drawing.links
        .filter((/** @type {Link} */ l) => l.from === st.station || l.to === st.station)
        .map((/** @type {Link} */ l) => l.transport),
    );
    const plate = r * 1.16;
    const group = s(
      "g",
      { className: "station", transform: `translate(${st.x} ${st.y})`, "data-station": st.station },
      s("circle", { className: "halo", r: r * 1.7 }),
      s("circle", { className: "hit", r: r * 1.5 }),
      kinds.has("underground")
        ? s("rect", { className: "plate", x: -plate, y: -plate, width: 2 * plate, height: 2 * plate, rx: r * 0.3 })
        : null,
      s("circle", { className: `face${kinds.has("bus") ? " by-bus" : kinds.has("tram") ? " by-tram" : ""}`, r }),
      s("circle", { className: "ring", r: r * 1.28, "stroke-width": r * 0.34 }),
      s("text", { "font-size": r * size }, st.station),
    );
    group.addEventListener("click", () => this.choose(st.station));
    group.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        this.choose(st.station);
      }
    });
    for (const on of ["pointerenter", "focus"]) group.addEventListener(on, () => this.explain(st));
    for (const off of ["pointerleave", "blur"])
      group.addEventListener(off, () => {
        this.tip.hidden = true;
      });
    this.nodes.set(st.station, group);
    return group;
  }

  /** @param {any} message */
  update(message) {
    const moved = this.message?.version !== message.version || this.message?.to_move !== message.to_move;
    if (moved) closeMenu(this.area);
    this.message = message;
    this.legal = message.legal || [];
    const view = message.view;
    this.view = view;
    const possible = new Set(message.phase === "over" ? [] : view.possible);
    const targets = new Map();
    for (const move of this.legal)
      if (move.details.station !== null)
        targets.set(move.details.station, [...(targets.get(move.details.station) || []), move]);
    for (const [station, node] of this.nodes) this.markStation(station, node, possible, targets);
    this.movePieces(view);
    this.showWay(message);
    if (moved) this.lookAround([...targets.keys()]);
  }

  /**
   * @param {number} station
   * @param {SVGGElement} node
   * @param {Set<number>} possible
   * @param {Map<number, any[]>} targets
   */
  markStation(station, node, possible, targets) {
    const legal = targets.get(station);
    node.setAttribute("class", `station${possible.has(station) ? " possible" : ""}${legal ? " legal" : ""}`);
    const halo = /** @type {SVGElement} */ (node.querySelector(".halo"));
    const belief = this.belief ? this.belief[String(station)] || 0 : null;
    halo.style.opacity = belief === null ? "" : String(Math.min(0.85, 0.06 + belief * 2.2));
    if (legal) {
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
      const tickets = [...new Set(legal.map((/** @type {any} */ m) => m.details.ticket))];
      const how = tickets.map(ticketName).join(` ${t("yard.or")} `);
      node.setAttribute("aria-label", `${t("yard.station", { station })}: ${how}`);
      return;
    }
    // What has the focus keeps it: the keyboard's place on the board is not lost when the turn passes on.
    if (node === document.activeElement) node.setAttribute("tabindex", "-1");
    else node.removeAttribute("tabindex");
    for (const name of ["role", "aria-label"]) node.removeAttribute(name);
  }

  /** On a small screen the piece that moves and where it can go are brought near. @param {number[]} targets */
  lookAround(targets) {
    if (!isSmall(this.area)) return;
    const own = this.view.stations[this.message.to_move];
    const near = [...targets, own].map((station) => this.place.get(station)).filter((st) => st !== undefined);
    const box = targets.length || !this.whole ? around(near, this.scale * 1.1) : this.whole;
    this.zoom?.look(box);
    const pixel = Math.max(box[2] / (this.area.clientWidth || 1), box[3] / (this.area.clientHeight || 1));
    for (const station of targets) this.growHit(station, (FINGER / 2) * pixel, targets);
  }

  /** A station far from the next one can be hit beside it. @param {number} station @param {number} wanted
   * @param {number[]} others */
  growHit(station, wanted, others) {
    const at = /** @type {Station} */ (this.place.get(station));
    const gaps = others
      .filter((other) => other !== station)
      .map((other) => /** @type {Station} */ (this.place.get(other)))
      .map((st) => Math.hypot(st.x - at.x, st.y - at.y) / 2);
    const r = Math.max(this.radius * 1.5, Math.min(wanted, ...gaps));
    this.nodes.get(station)?.querySelector(".hit")?.setAttribute("r", String(r));
  }

  /** Where Mr X was seen last; and his whole way once the game is over. @param {any} message */
  showWay(message) {
    const r = this.radius;
    const { last_seen: seen } = message.view;
    const moves = message.history.filter((/** @type {any} */ m) => m.seat === 0);
    const slot = Math.max(0, ...this.board.drawing.reveals.filter((/** @type {number} */ n) => n <= moves.length));
    const at = this.place.get(seen);
    const over = message.phase === "over";
    const sign = (/** @type {any} */ ...children) =>
      at && !over ? s("g", { className: "last-seen", transform: `translate(${at.x} ${at.y})` }, children) : null;
    const dashes = { "stroke-width": r * 0.2, "stroke-dasharray": `${r * 0.55} ${r * 0.4}` };
    show(this.marks, sign(s("circle", { r: r * 2.1, ...dashes })));
    const y = at ? this.freeSide(at) : 0;
    show(this.signs, sign(s("text", { y, "font-size": r * 1.05 }, t("yard.last-seen", { slot }))));
    if (!over) return;
    const way = wayOfX(message).map((station) => /** @type {Station} */ (this.place.get(station)));
    const points = way.map((st) => `${st.x},${st.y}`).join(" ");
    this.marks.append(s("polyline", { className: "his-way", points, "stroke-width": r * 0.5 }));
    const [first] = way;
    const ring = { className: "his-way", cx: first?.x, cy: first?.y, r: r * 1.7, "stroke-width": r * 0.3 };
    if (first) this.marks.append(s("circle", ring));
  }

  /** Where there is more room for a line of words, above a station or below it. @param {Station} at */
  freeSide(at) {
    const r = this.radius;
    const others = this.stations.filter((st) => st.station !== at.station && Math.abs(st.x - at.x) < 4.5 * r);
    const room = (/** @type {number} */ y) => Math.min(...others.map((st) => Math.abs(st.y - at.y - y)));
    const marked = this.view.stations[this.message.to_move] === at.station; // the arrow of the turn is above it
    return !marked && room(-2.6 * r) > room(3 * r) ? -2.6 * r : 3 * r;
  }

  /** @param {any} view */
  movePieces(view) {
    const moving = this.place.get(view.stations[this.message.to_move]);
    this.turnMark.style.display = moving && this.message.phase !== "over" ? "" : "none";
    if (moving) this.turnMark.style.transform = `translate(${moving.x}px, ${moving.y}px)`;
    view.stations.forEach((/** @type {number|null} */ station, /** @type {number} */ seat) => {
      const piece = this.pieces.querySelector(`[data-seat="${seat}"]`) || this.piece(seat);
      const st = station === null ? null : this.place.get(station);
      piece.style.display = st ? "" : "none";
      if (st) piece.style.transform = `translate(${st.x}px, ${st.y}px)`;
    });
  }

  /** @param {number} seat */
  piece(seat) {
    const r = this.radius * 1.12;
    const shape =
      seat === 0
        ? s("path", {
            d: `M${-r * 1.1} ${r} L0 ${-r * 1.5} L${r * 1.1} ${r} Z`,
            fill: MR_X,
            stroke: "var(--p0)",
            "stroke-width": r * 0.22,
          })
        : s("circle", { r: r * 1.12, fill: seatColour(seat), stroke: "#fff", "stroke-width": r * 0.16 });
    const sign = s("text", { y: seat === 0 ? r * 0.25 : 0, "font-size": r * 1.2 }, seat === 0 ? "X" : seat);
    const piece = s("g", { className: "piece", "data-seat": seat }, shape, sign);
    this.pieces.append(piece);
    return piece;
  }

  /** A click on a station: one way to go there is played at once, several are asked for. @param {number} station */
  choose(station) {
    closeMenu(this.area);
    const moves = this.legal.filter((m) => m.details.station === station);
    if (moves.length === 1) return this.play(moves[0].code);
    if (!moves.length) return;
    this.tip.hidden = true;
    const node = /** @type {SVGGElement} */ (this.nodes.get(station));
    const at = node.getBoundingClientRect();
    ask({
      area: this.area,
      at: { x: at.left + at.width / 2, y: at.top + at.height / 2 },
      label: t("yard.by", { station }),
      above: h("span", { className: "small soft" }, t("yard.by", { station })),
      choices: moves.map((m) => ({
        code: m.code,
        text: ticketName(m.details.ticket) + (m.details.double ? ` + ${t("yard.double-move")}` : ""),
        style: { "border-left": `5px solid ${ticketColour(m.details.ticket)}` },
      })),
      play: this.play,
      back: () => node.focus(),
    });
  }

  /** Hovering a station: who could be there how soon. @param {Station} st */
  explain(st) {
    if (!this.view || this.area.querySelector(".popover")) return;
    const steps = this.distances(st.station);
    const lines = this.view.stations
      .map((/** @type {number|null} */ from, /** @type {number} */ seat) =>
        from === null
          ? null
          : `${served(this.board.seat_names[seat])}: ${from === st.station ? t("yard.here") : away(steps.get(from))}`,
      )
      .filter(Boolean);
    const links = this.board.drawing.links.filter(
      (/** @type {Link} */ l) => l.from === st.station || l.to === st.station,
    );
    const kinds = [...new Set(links.map((/** @type {Link} */ l) => ticketName(l.transport)))].join(", ");
    show(
      this.tip,
      h("strong", {}, t("yard.station", { station: st.station })),
      h("div", { className: "soft" }, kinds),
      lines.map((/** @type {string} */ line) => h("div", {}, line)),
      this.view.possible.includes(st.station) && h("div", {}, t("yard.possible")),
    );
    const at = /** @type {SVGGElement} */ (this.nodes.get(st.station)).getBoundingClientRect();
    this.tip.hidden = false;
    putBeside(this.tip, this.area, { x: at.left + at.width / 2, y: at.top + at.height / 2 }, 20);
  }

  /** Steps to every station, whatever the tickets. @param {number} from */
  distances(from) {
    if (!this.near) {
      this.near = /** @type {Map<number, Set<number>>} */ (new Map(this.stations.map((st) => [st.station, new Set()])));
      for (const l of this.board.drawing.links)
        if (l.transport !== "ferry") {
          this.near.get(l.from)?.add(l.to);
          this.near.get(l.to)?.add(l.from);
        }
    }
    const steps = new Map([[from, 0]]);
    const waiting = [from];
    while (waiting.length) {
      const here = /** @type {number} */ (waiting.shift());
      for (const next of this.near.get(here) || [])
        if (!steps.has(next)) {
          steps.set(next, /** @type {number} */ (steps.get(here)) + 1);
          waiting.push(next);
        }
    }
    return steps;
  }

  /** @param {Record<string, number>|null} belief */
  setBelief(belief) {
    this.belief = belief && Object.keys(belief).length ? belief : null;
    if (this.message) this.update(this.message);
  }

  /** The tickets of a seat, for the list of players. @param {any} view @param {number} seat */
  wallet(view, seat) {
    const tickets = Object.entries(view.tickets[seat] || {});
    const place = view.stations[seat];
    return [
      h("span", { className: "chip plain" }, place === null ? t("yard.hidden") : t("yard.at", { station: place })),
      tickets.map(([name, n]) =>
        h(
          "span",
          { className: "chip", style: { "--stripe": ticketColour(name) }, title: ticketName(name) },
          h("span", { "aria-hidden": "true" }, this.short(name)),
          h("span", { className: "unseen" }, ticketName(name)),
          ` ${n === null ? "∞" : n}`,
        ),
      ),
    ];
  }

  /** @param {import("../game-module.js").SeenMove} move @param {any} before @param {any} after */
  tell(move, before, after) {
    return this.told.tell(move, before, after);
  }
  /** @param {import("../game-module.js").SeenMove} move @param {any} before @param {any} after */
  moment(move, before, after) {
    return this.told.moment(move, before, after);
  }
  /** @param {any} before @param {any} m @param {any[]} moves */
  summary(before, m, moves) {
    return this.told.summary(before, m, moves);
  }
  /** @param {any} m */
  ending(m) {
    return this.told.ending(m);
  }

  /** Mr X's travel log. @param {any} message */
  panels(message) {
    const reveals = new Set(this.board.drawing.reveals);
    const moves = message.history.filter((/** @type {any} */ m) => m.seat === 0);
    const slots = Array.from({ length: this.board.drawing.log_slots }, (_, i) => {
      const move = moves[i];
      const shown = move && move.details.station !== null;
      return h(
        "div",
        {
          className: `slot${reveals.has(i + 1) ? " reveal" : ""}`,
          style: move ? { "--stripe": ticketColour(move.details.ticket) } : {},
          title: reveals.has(i + 1) ? t("yard.shows-here") : "",
        },
        h("b", {}, shown ? move.details.station : i + 1),
        move ? ticketName(move.details.ticket) : reveals.has(i + 1) ? t("yard.reveal") : " ",
      );
    });
    const { round, rounds, last_seen } = message.view;
    const seen = last_seen ? t("yard.seen-at", { station: last_seen }) : "";
    const where = `${t("yard.stations", { n: message.view.possible.length })}${seen}`;
    return [
      h(
        "section",
        { className: "panel" },
        h(
          "div",
          { className: "row spread" },
          h("h3", {}, t("yard.log", { round: Math.min(round, rounds), rounds })),
          message.phase === "over" ? null : h("span", { className: "small soft" }, where),
        ),
        h("div", { className: "travel" }, slots),
      ),
    ];
  }

  /** @param {any} move */
  highlight(move) {
    this.nodes.get(move.details.station)?.classList.add("hinted");
  }

  /** Marks where a move in the list would lead. @param {any} move */
  point(move) {
    for (const node of this.nodes.values()) node.classList.remove("pointed");
    if (move) this.nodes.get(move.details.station)?.classList.add("pointed");
  }

  /** @param {any} move */
  moveText(move) {
    return moveName(move.details);
  }

  /** @param {import("../game-module.js").Reason} reason */
  why(reason) {
    return tOr(`yard.why.${reason.name}`, reason.text, withShares(reason.facts));
  }

  /** @param {any} move */
  moveStyle(move) {
    return { "--stripe": ticketColour(move.details.ticket) };
  }
}

/** The picture on the front page. */
function picture() {
  const points = [
    [40, 50],
    [100, 30],
    [165, 60],
    [235, 35],
    [285, 80],
    [60, 120],
    [125, 105],
    [190, 125],
    [250, 150],
    [95, 160],
    [160, 165],
  ];
  const lines = [
    [0, 1, "taxi"],
    [1, 2, "taxi"],
    [2, 3, "taxi"],
    [3, 4, "taxi"],
    [0, 5, "taxi"],
    [5, 6, "taxi"],
    [6, 2, "bus"],
    [6, 7, "taxi"],
    [7, 8, "taxi"],
    [8, 4, "taxi"],
    [5, 9, "taxi"],
    [9, 10, "taxi"],
    [10, 7, "taxi"],
    [1, 6, "underground"],
    [3, 8, "bus"],
    [0, 9, "bus"],
    [7, 3, "underground"],
  ];
  return [
    lines.map(([a, b, t]) =>
      s("line", {
        x1: points[+a][0],
        y1: points[+a][1],
        x2: points[+b][0],
        y2: points[+b][1],
        stroke: `var(--${t})`,
        "stroke-width": t === "taxi" ? 2.5 : 5,
        opacity: 0.75,
      }),
    ),
    points.map(([x, y]) => s("circle", { cx: x, cy: y, r: 8, fill: "var(--panel)", stroke: "var(--soft)" })),
    [
      [1, 1],
      [5, 2],
      [8, 4],
    ].map(([p, c]) => s("circle", { cx: points[p][0], cy: points[p][1], r: 9, fill: `var(--p${c})` })),
    s("circle", { cx: points[7][0], cy: points[7][1], r: 26, fill: "var(--fog)", opacity: 0.25 }),
    s(
      "text",
      {
        x: points[7][0],
        y: points[7][1] + 6,
        "text-anchor": "middle",
        "font-size": 19,
        "font-weight": 800,
        fill: "var(--text)",
      },
      "?",
    ),
    fog(),
  ];
}

/** @type {GameModule["rules"]} */
const rules = () => ({
  title: t("yard.rules.title"),
  parts: [
    [
      t("yard.rules.hunt"),
      [t("yard.rules.hunt.1"), t("yard.rules.hunt.2"), t("yard.rules.hunt.3"), t("yard.rules.hunt.4")],
      ["ride", "catch:after"],
    ],
    [
      t("yard.rules.hidden"),
      [t("yard.rules.hidden.1"), t("yard.rules.hidden.2"), t("yard.rules.hidden.3")],
      ["search:after", "flee:after"],
    ],
    [
      t("yard.rules.tickets"),
      [t("yard.rules.tickets.1"), t("yard.rules.tickets.2"), t("yard.rules.tickets.3")],
      ["ticket", "black:after"],
    ],
    [t("yard.rules.here"), [t("yard.rules.here.1"), t("yard.rules.here.2"), t("yard.rules.here.3")]],
  ],
  more: [[t("yard.full"), [1, 2, 3, 4, 5, 6].map((n) => t(`yard.full.${n}`))]],
});

/** @type {GameModule["lessons"]} */
const lessons = [
  ["yard.lesson.move", (_m, mine) => mine.length > 0],
  ["yard.lesson.ticket", (m, mine) => m.history.length > mine.length],
  ["yard.lesson.reveal", (m) => m.view.last_seen !== null && m.view.last_seen !== undefined],
  ["yard.lesson.end", (m) => m.phase === "over"],
];

/** @type {GameModule["step"]} */
const step = (name) => ({
  ask: t(`yard.ask.${name}`),
  right: t(`yard.right.${name}`),
  wrong: t(`yard.wrong.${name}`),
});

/** What to think of now, in a first game. @param {any} m @param {boolean} turn */
function advice(m, turn) {
  const asX = m.mine.includes(0);
  if (!turn) return asX ? t("yard.advice.detectives-move") : t("yard.advice.x-moves");
  if (asX) return m.view.round <= 1 ? t("yard.advice.x-first") : t("yard.advice.x-later");
  if (m.view.round <= 1) return t("yard.advice.first");
  if (m.view.last_seen !== null && m.view.possible.length < 8) return t("yard.advice.block");
  return t("yard.advice.later");
}

/** How far a piece is. @param {number | undefined} steps */
function away(steps) {
  return steps === undefined ? t("yard.cannot") : t("yard.moves", { n: steps });
}

/**
 * A transport's line. Forms differ, not only colours: taxi thin, bus a double line, underground wide with ties,
 * tram wide with dots, ferry and paths dashed.
 * @param {string} transport
 * @param {string} d
 * @param {number} r
 */
export function strokes(transport, d, r) {
  const colour = ticketColour(transport);
  const line = (/** @type {number} */ width, /** @type {string} */ stroke, /** @type {string} */ dashes = "") =>
    s("path", { className: "link", d, stroke, "stroke-width": r * width, "stroke-dasharray": dashes || null });
  const inner = "var(--board)";
  if (transport === "bus") return [line(0.5, colour), line(0.2, inner)];
  if (transport === "underground") return [line(0.46, colour), line(0.22, inner, `${r * 0.3} ${r * 0.75}`)];
  if (transport === "tram") return [line(0.4, colour), line(0.18, inner, `0 ${r * 0.6}`)];
  if (transport === "ferry") return [line(0.3, colour, `${r * 0.7} ${r * 0.6}`)];
  if (transport === "walk") return [line(0.2, colour, `${r * 0.1} ${r * 0.4}`)];
  return [line(0.17, colour)];
}

/** The colour of a ticket and of its lines. @param {string} name */
function ticketColour(name) {
  const known = {
    black: "#4a5563",
    double: "#a78bda",
    taxi: "var(--taxi)",
    bus: "var(--bus)",
    underground: "var(--underground)",
    ferry: "var(--ferry)",
    tram: "var(--tram)",
    walk: "var(--walk)",
  };
  return /** @type {Record<string, string>} */ (known)[name] || "var(--soft)";
}

/** @param {any} details */
function moveName({ station, ticket, double }) {
  if (ticket === "pass") return t("yard.pass");
  return t(double ? "yard.move.double" : "yard.move", { station, ticket: ticketName(ticket) });
}

const percent = (/** @type {number} */ v) => number(v, { style: "percent", maximumFractionDigits: 1 });

/** What perfect play makes of a position. @param {any} exact */
function exactPanel(exact) {
  if (!exact) return null;
  if (exact.solving)
    return h(
      "section",
      { className: "panel exact" },
      h("h3", {}, t("yard.exact")),
      h("p", { className: "soft small" }, t("yard.exact.solving")),
    );
  const label = t("yard.exact.value", { share: percent(exact.value) });
  return h(
    "section",
    { className: "panel exact" },
    h("h3", {}, t("yard.exact")),
    h("div", {}, h("strong", {}, label), ` ${t("yard.exact.if")}`),
    h(
      "div",
      { className: "bar", role: "img", "aria-label": label },
      h("div", { style: { width: `${100 * exact.value}%` } }),
    ),
    exact.revealed === undefined || exact.revealed === null
      ? null
      : h("p", { className: "small soft" }, t("yard.exact.revealed", { share: percent(exact.revealed) })),
    h(
      "div",
      { className: "best", style: { "margin-top": ".5rem" } },
      exact.moves
        .slice(0, 8)
        .map((/** @type {any} */ m) => [
          h("span", {}, moveName(m.details)),
          h("span", { title: t("yard.exact.with") }, percent(m.value)),
          h(
            "span",
            { className: "soft" },
            m.share > 0.0005 ? t("analysis.played", { share: percent(m.share) }) : t("yard.exact.not-played"),
          ),
        ]),
    ),
    h("p", { className: "small soft" }, t("yard.exact.about", { tolerance: number(exact.tolerance) })),
  );
}

/**
 * All boards but the name for grids of any size, of which some sizes are offered.
 * @type {NonNullable<GameModule["boards"]>}
 */
function boards(listed) {
  const grids = [4, 5, 6, 8].map((n) => ({ name: `grid${n}`, about: t("yard.grid", { n }) }));
  return [...listed.filter((board) => board.name !== "gridN"), ...grids];
}

/** @param {number} seat */
function dotColour(seat) {
  return seat === 0 ? MR_X : seatColour(seat);
}

/** @type {GameModule} */
export default {
  Board: YardBoard,
  styles: [new URL("scotland-yard.css", import.meta.url).pathname],
  texts: "/texts/scotland-yard",
  picture,
  rules,
  lessons,
  step,
  advice,
  boards,
  exact: exactPanel,
  seatColour: dotColour,
};
