// The board editor: places and lines are drawn here; what they mean, a game's own editor module says.
// @ts-check
import { api } from "./api.js";
import { newSeed, offered, RANDOM } from "./boards.js";
import { share } from "./chart.js";
import { h, s, show, toast } from "./dom.js";
import { loadGame } from "./game-module.js";
import { go } from "./main.js";
import { nickname } from "./names.js";
import { bar } from "./progress.js";
import { number, served, t, tOr } from "./texts.js";
import { capital } from "./words.js";

/**
 * A place on the board; `colour` tells groups apart. Where it stands, the board's file need not say.
 * @typedef {{id: string, x: number | undefined, y: number | undefined, label: string, colour?: string}} Listed
 * @typedef {Listed & {x: number, y: number}} Place
 * A line between two places, of one of the editor's kinds.
 * @typedef {{from: string, to: string, kind: string}} Line
 *
 * What a game's editor module gives. Each act changes the board that it is given, which is the JSON of a board file.
 * @typedef {object} GameEditor
 * @property {any} blank A small board to begin with.
 * @property {(board: any) => string[]} kinds The kinds of lines (or of places, where there are no lines).
 * @property {(board: any) => boolean} [grid] Whether places stand in a grid and a click changes their kind.
 * @property {(board: any) => Listed[]} places
 * @property {(drawing: any) => {id: string, x: number, y: number}[]} laidOut Where places stand in the game's drawing.
 * @property {(board: any) => Line[]} lines
 * @property {(board: any, x: number, y: number, kind: string) => void} add
 * @property {(board: any, id: string) => void} remove
 * @property {(board: any, id: string, x: number, y: number) => void} move
 * @property {(board: any, from: string, to: string, kind: string) => void} join Makes a line, or takes it away.
 * @property {(kind: string, d: string, size: number) => any} [strokes] How a line of a kind is drawn along a path.
 * @property {(board: any, id: string, kind: string) => void} [paint] A click on a place with the brush.
 * @property {(board: any, id: string, changed: () => void) => any} [details] Controls for one place: children.
 */

const KEY = "fogbound:design:";
const STRENGTHS = ["beginner", "steady", "thinker"];
const ROW = 8; // places
const TRIALS = 5; // portions of games for each strength

/** @param {HTMLElement} page @param {string} family */
export async function open(page, family) {
  const games = await Promise.all((await api.games()).map((/** @type {any} */ info) => loadGame(info.name)));
  const chosen = games.find((game) => game.info.name === family) || games[0];
  const module = chosen.info.module.replace(/\.js$/, "-editor.js");
  /** @type {GameEditor | null} */
  const kind = await import(module).then(
    (found) => found.default,
    () => null,
  );
  if (!kind) {
    show(page, h("p", { className: "panel" }, t("editor.no-editor", { game: chosen.info.title })));
    return () => {};
  }
  const editor = new Editor(page, games, chosen, kind);
  return () => editor.close();
}

class Editor {
  /** @param {HTMLElement} page @param {any[]} games @param {any} game @param {GameEditor} kind */
  constructor(page, games, game, kind) {
    this.game = game;
    this.kind = kind;
    this.family = game.info.name;
    /** @type {any[]} */
    this.past = [];
    this.board = this.kept() || structuredClone(kind.blank);
    this.tool = "join";
    this.unit = 1; // of the drawing: a place is about one and a half wide
    this.selected = "";
    this.checking = 0;
    this.closed = false;
    this.build(page, games);
    this.changed(false);
  }

  close() {
    this.closed = true;
    clearTimeout(this.checking);
  }

  kept() {
    try {
      return JSON.parse(localStorage.getItem(KEY + this.family) || "null");
    } catch {
      return null;
    }
  }

  /** @param {HTMLElement} page @param {any[]} games */
  build(page, games) {
    this.svg = s("svg", { className: "design", role: "application", "aria-label": t("editor.board"), tabindex: "0" });
    this.svg.addEventListener("pointerdown", (/** @type {PointerEvent} */ e) => this.press(e));
    this.svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => this.key(e));
    this.mistakes = h("div", { role: "status", className: "mistakes" });
    this.fair = h("div", { role: "status" });
    this.details = h("div", {});
    this.text = h("textarea", { rows: 14, spellcheck: "false", "aria-label": t("editor.json") });
    this.line = h("select", { "aria-label": t("editor.kind") });
    this.name = h("input", { maxlength: 60, "aria-label": t("editor.name") });
    this.name.addEventListener("change", () =>
      this.edit((board) => (board.name = this.name.value.trim() || "my board")),
    );
    this.tools = h("div", { className: "row", role: "group", "aria-label": t("editor.tools") });
    this.toolbar = h(
      "div",
      { className: "row" },
      this.tools,
      this.line,
      h("button", { type: "button", onclick: () => this.undo() }, t("editor.undo")),
    );
    const base = h(
      "select",
      {
        "aria-label": t("editor.from"),
        onchange: () => {
          this.from(base.value);
          base.value = ""; // so that another random board can be asked for
        },
      },
      h("option", { value: "" }, t("editor.from")),
      h("option", { value: "blank" }, t("editor.blank")),
      offered(this.game).map((each) => h("option", { value: each.name }, each.name)),
    );
    const file = h("input", { type: "file", accept: ".json", hidden: true, onchange: () => this.load(file.files[0]) });
    const chooser = h(
      "select",
      { "aria-label": t("games.game"), onchange: () => go(`/editor/${chooser.value}`) },
      games.map((each) => h("option", { value: each.info.name }, each.info.title)),
    );
    chooser.value = this.family;
    const button = (/** @type {string} */ text, /** @type {() => void} */ act, className = "") =>
      h("button", { type: "button", className, onclick: act }, text);
    show(
      page,
      h("h1", {}, t("nav.editor")),
      h(
        "div",
        { className: "row editor-top" },
        chooser,
        base,
        this.name,
        button(t("editor.open"), () => file.click()),
        button(t("editor.save"), () => this.save()),
        button(t("editor.play"), () => this.play(), "primary"),
        file,
      ),
      h(
        "div",
        { className: "editor" },
        h("div", { className: "panel" }, this.toolbar, this.svg),
        h(
          "div",
          { className: "editor-side" },
          h("section", { className: "panel" }, h("h2", {}, t("editor.mistakes")), this.mistakes),
          h("section", { className: "panel" }, this.details),
          h(
            "section",
            { className: "panel" },
            h("h2", {}, t("editor.fair")),
            h("p", { className: "soft small" }, t("editor.fair.about")),
            button(t("editor.fair.ask"), () => this.balance()),
            this.fair,
          ),
          h(
            "details",
            { className: "panel" },
            h("summary", {}, t("editor.json")),
            this.text,
            button(t("editor.take"), () => this.take(this.text.value)),
          ),
        ),
      ),
    );
  }

  isGrid() {
    return Boolean(this.kind.grid?.(this.board));
  }

  showTools() {
    const brush = this.kind.paint ? ["paint"] : [];
    const tools = this.isGrid() ? brush : ["join", "add", "move", "remove", ...brush];
    if (!tools.includes(this.tool)) this.tool = tools[0];
    show(
      this.tools,
      tools.map((tool) =>
        h(
          "button",
          { type: "button", "aria-pressed": String(tool === this.tool), onclick: () => this.use(tool) },
          t(`editor.tool.${tool}`),
        ),
      ),
    );
  }

  // Changing the board.

  /** @param {(board: any) => void} act */
  edit(act) {
    this.past.push(JSON.stringify(this.board));
    if (this.past.length > 100) this.past.shift();
    act(this.board);
    this.changed();
  }

  undo() {
    const before = this.past.pop();
    if (before) this.board = JSON.parse(before);
    this.changed();
  }

  changed(store = true) {
    if (store) localStorage.setItem(KEY + this.family, JSON.stringify(this.board));
    this.name.value = this.board.name || "";
    this.text.value = JSON.stringify(this.board, null, 1);
    const kinds = this.kind.kinds(this.board);
    const before = this.line.value;
    show(
      this.line,
      kinds.map((each) => h("option", { value: each }, tOr(`choice.${each}`, each))),
    );
    this.line.value = kinds.includes(before) ? before : kinds[0] || "";
    this.showTools();
    this.draw();
    clearTimeout(this.checking);
    this.checking = window.setTimeout(() => this.check(), 500);
  }

  /** @param {string} text */
  take(text) {
    try {
      const board = JSON.parse(text);
      if (board.game !== this.family) throw new SyntaxError();
      this.edit(() => (this.board = board));
    } catch {
      toast(t("editor.not-board", { game: this.game.info.title }));
    }
  }

  /** @param {File} file */
  async load(file) {
    this.take(await file.text());
  }

  /** @param {string} base */
  async from(base) {
    if (!base) return;
    const spec = `${this.family}/${base}${base === RANDOM ? `:seed=${newSeed()}` : ""}`;
    const board =
      base === "blank" ? structuredClone(this.kind.blank) : await api.definition(spec).catch((e) => toast(e.message));
    if (board) this.edit(() => (this.board = { ...board, name: base === "blank" ? board.name : `my ${board.name}` }));
  }

  save() {
    const address = URL.createObjectURL(new Blob([JSON.stringify(this.board, null, 1)], { type: "application/json" }));
    h("a", { href: address, download: `${(this.board.name || "board").replace(/[^\w-]+/g, "-")}.json` }).click();
  }

  // Asking the server.

  async check() {
    const asked = this.board;
    const found = await api.checkBoard(asked).catch((e) => ({ mistakes: [e.message] }));
    if (this.closed || asked !== this.board) return;
    show(
      this.mistakes,
      found.mistakes.length
        ? h(
            "ul",
            {},
            found.mistakes.map((/** @type {string} */ each) => mistake(each)),
          )
        : h("p", { className: "good" }, t("editor.none")),
    );
    this.info = found.board || null;
    if (this.info && this.kind.places(this.board).every((each) => each.x === undefined)) this.layOut(this.info.drawing);
  }

  /** A board that says nowhere where its places are gets them as they are drawn in the game. @param {any} drawing */
  layOut(drawing) {
    for (const { id, x, y } of this.kind.laidOut(drawing)) this.kind.move(this.board, id, x, y);
    this.changed();
  }

  async play() {
    await this.check();
    if (!this.info) return toast(t("editor.mend"));
    const { side_of: sides, default_level: level } = this.info;
    const mine = this.game.info.quick_start.side;
    const seats = sides.map((/** @type {number} */ side) =>
      side === mine ? { kind: "me" } : { kind: "agent", level },
    );
    const wish = { game: this.family, board: this.board, seats, nickname: nickname() };
    const id = await api.newTable(wish).catch((e) => toast(e.message));
    if (id) go(`/table/${id}`);
  }

  /** Let players of several strengths play on it, and draw how often each side wins. */
  async balance() {
    await this.check();
    if (!this.info) return toast(t("editor.mend"));
    const board = this.board;
    const known = this.info.levels.map((/** @type {any} */ level) => level.name);
    const strengths = STRENGTHS.filter((each) => known.includes(each));
    /** @type {Record<string, {games: number, wins: number[], sides: string[]}>} */
    const results = {};
    for (let portion = 0; portion < TRIALS; portion++)
      for (const strength of strengths) {
        const found = await api.balance({ board, strength, seed: portion }).catch((e) => {
          toast(e.message);
          return null;
        });
        if (!found || this.closed || board !== this.board) return show(this.fair);
        const before = results[strength] || { games: 0, wins: found.sides.map(() => 0), sides: found.sides };
        const wins = before.wins.map((won, side) => won + found.wins[side]);
        results[strength] = { games: before.games + found.games, wins, sides: found.sides };
        const done = portion * strengths.length + strengths.indexOf(strength) + 1;
        this.showBalance(results, done, TRIALS * strengths.length);
      }
    return undefined;
  }

  /** @param {Record<string, any>} results @param {number} done @param {number} whole */
  showBalance(results, done, whole) {
    show(
      this.fair,
      done < whole ? bar(t("editor.fair.going"), done, whole) : null,
      Object.entries(results).map(([strength, found]) => [
        h("h3", {}, t("editor.fair.between", { level: t(`level.${strength}`), n: number(found.games) })),
        found.sides.map((/** @type {string} */ side, /** @type {number} */ i) => {
          const part = found.wins[i] / found.games;
          const text = t("editor.fair.side", { side: served(side), percent: Math.round(part * 100) });
          return h(
            "div",
            { className: "fair" },
            h("span", { className: "small" }, text),
            share(part, found.games, text),
          );
        }),
      ]),
    );
  }

  // The drawing.

  /** @param {string} tool */
  use(tool) {
    this.tool = tool;
    this.selected = "";
    this.showTools();
    this.draw();
  }

  /** Those without a position stand in rows. @returns {Place[]} */
  places() {
    return this.kind
      .places(this.board)
      .map((each, i) => ({ ...each, x: each.x ?? i % ROW, y: each.y ?? Math.floor(i / ROW) }));
  }

  draw() {
    const places = this.places();
    const xs = places.map((each) => each.x);
    const ys = places.map((each) => each.y);
    const [left, right] = places.length ? [Math.min(...xs), Math.max(...xs)] : [0, 10];
    const [top, bottom] = places.length ? [Math.min(...ys), Math.max(...ys)] : [0, 10];
    const size = Math.max(right - left, bottom - top, 1);
    this.unit = size / 24;
    const edge = this.isGrid() ? 3.2 : 3 * this.unit;
    const box = [left - edge, top - edge, right - left + 2 * edge, bottom - top + 2 * edge];
    this.svg.setAttribute("viewBox", box.join(" "));
    show(
      this.svg,
      this.drawLines(new Map(places.map((each) => [each.id, each]))),
      places.map((place) => this.drawPlace(place)),
    );
    show(
      this.details,
      this.selected && this.kind.details
        ? this.kind.details(this.board, this.selected, () => this.changed())
        : h("p", { className: "soft small" }, t("editor.hint")),
    );
  }

  /** Several lines between two places run side by side. @param {Map<string, Place>} at */
  drawLines(at) {
    /** @type {Map<string, Line[]>} */
    const pairs = new Map();
    for (const line of this.kind.lines(this.board)) {
      const ends = [line.from, line.to].sort().join();
      pairs.set(ends, [...(pairs.get(ends) || []), line]);
    }
    return [...pairs.values()].flatMap((same) =>
      same.map((line, i) => this.drawLine(line, at.get(line.from), at.get(line.to), i - (same.length - 1) / 2)),
    );
  }

  /** @param {Line} line @param {Place | undefined} a @param {Place | undefined} b @param {number} rank */
  drawLine(line, a, b, rank) {
    if (!a || !b) return null;
    const off = (rank * this.unit * 0.46) / (Math.hypot(a.x - b.x, a.y - b.y) || 1);
    const [nx, ny] = [(a.y - b.y) * off, (b.x - a.x) * off];
    const d = `M${a.x + nx} ${a.y + ny}L${b.x + nx} ${b.y + ny}`;
    if (this.kind.strokes) return this.kind.strokes(line.kind, d, this.unit * 0.75);
    return s("path", { d, stroke: "var(--soft)", "stroke-width": this.unit * 0.22 });
  }

  /** @param {Place} place */
  drawPlace(place) {
    const grid = this.isGrid();
    const half = grid ? 2.8 : this.unit * 0.75; // tiles stand six apart
    const low = !grid && place.label.length > 3; // a long name stands under its place
    const shape = this.kind.grid
      ? s("rect", { x: place.x - half, y: place.y - half, width: 2 * half, height: 2 * half, rx: half / 6 })
      : s("circle", { cx: place.x, cy: place.y, r: half });
    shape.setAttribute("fill", place.colour || "var(--raised)");
    return s(
      "g",
      { "data-id": place.id, className: `place${place.id === this.selected ? " selected" : ""}` },
      shape,
      s(
        "text",
        {
          x: place.x,
          y: place.y + (low ? half + this.unit * 0.8 : this.unit * 0.28),
          "text-anchor": "middle",
          "font-size": grid ? 1.2 : this.unit * 0.8,
        },
        place.label,
      ),
    );
  }

  /** @param {PointerEvent} e */
  where(e) {
    const matrix = /** @type {DOMMatrix} */ (this.svg.getScreenCTM());
    const point = new DOMPoint(e.clientX, e.clientY).matrixTransform(matrix.inverse());
    return { x: Math.round(point.x * 100) / 100, y: Math.round(point.y * 100) / 100 };
  }

  /** @param {PointerEvent} e */
  press(e) {
    const id = /** @type {Element} */ (e.target).closest?.("[data-id]")?.getAttribute("data-id") || "";
    const point = this.where(e);
    if (this.tool === "add" && !id)
      return this.edit((board) => this.kind.add(board, point.x, point.y, this.line.value));
    if (!id) return this.select("");
    if (this.tool === "remove") return this.edit((board) => this.kind.remove(board, id));
    if (this.tool === "paint") {
      this.selected = id;
      return this.edit((board) => this.kind.paint?.(board, id, this.line.value));
    }
    if (this.tool === "move") return this.drag(id, e);
    if (this.tool === "join" && this.selected && this.selected !== id) {
      const from = this.selected;
      this.selected = "";
      return this.edit((board) => this.kind.join(board, from, id, this.line.value));
    }
    return this.select(id);
  }

  /** @param {string} id */
  select(id) {
    this.selected = this.selected === id ? "" : id;
    this.draw();
  }

  /** @param {string} id @param {PointerEvent} e */
  drag(id, e) {
    this.past.push(JSON.stringify(this.board));
    this.svg.setPointerCapture(e.pointerId);
    const moved = (/** @type {PointerEvent} */ at) => {
      const point = this.where(at);
      this.kind.move(this.board, id, point.x, point.y);
      this.drawMoved(id, point);
    };
    this.svg.addEventListener("pointermove", moved);
    const end = () => {
      this.svg.removeEventListener("pointermove", moved);
      this.changed();
    };
    this.svg.addEventListener("pointerup", end, { once: true });
  }

  /** While a place is dragged the picture keeps its scale. @param {string} id @param {{x: number, y: number}} point */
  drawMoved(id, point) {
    const group = this.svg.querySelector(`[data-id="${CSS.escape(id)}"]`);
    const shape = group?.firstElementChild;
    shape?.setAttribute("cx", String(point.x));
    shape?.setAttribute("cy", String(point.y));
    group?.lastElementChild?.setAttribute("x", String(point.x));
    group?.lastElementChild?.setAttribute("y", String(point.y));
  }

  /** Arrows walk from place to place, Enter acts as a click, Delete removes, Ctrl+Z takes back.
   * @param {KeyboardEvent} e */
  key(e) {
    const places = this.kind.places(this.board);
    const at = places.findIndex((each) => each.id === this.selected);
    if (e.key === "z" && (e.ctrlKey || e.metaKey)) this.undo();
    else if (e.key === "Delete" && this.selected) {
      const id = this.selected;
      this.selected = "";
      this.edit((board) => this.kind.remove(board, id));
    } else if (e.key === "Enter" && this.selected && this.kind.paint)
      this.edit((board) => this.kind.paint?.(board, this.selected, this.line.value));
    else if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
      const step = e.key === "ArrowRight" ? 1 : -1;
      if (places.length) this.selected = places[(at + step + places.length) % places.length].id;
      this.draw();
    } else return;
    e.preventDefault();
  }
}

/** A mistake: the sentence, and in a softer voice the place in the file. @param {string} text */
function mistake(text) {
  const [, place, sentence] = /^([\w[\].-]+): (.+)$/.exec(text) || [null, "", text];
  return h("li", { className: "error" }, capital(served(sentence)), " ", h("span", { className: "soft small" }, place));
}
