// A table made to measure: the board and its rules as controls, who plays, a series, a clock.
// @ts-check
import { api } from "./api.js";
import { newSeed, offered, RANDOM } from "./boards.js";
import { control, read, written } from "./controls.js";
import { h, show, toast } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { go } from "./main.js";
import { nickname, setNickname } from "./names.js";
import { Chooser } from "./opponents.js";
import { whileCompiling } from "./progress.js";
import { number, served, t, tOr } from "./texts.js";

/** @typedef {import("./game-module.js").Game} Game */

/** @param {HTMLElement} page @param {string} family */
export async function open(page, family) {
  const game = await loadGame(family);
  new SetUp(page, game, new URLSearchParams(location.search).get("game"));
  return () => {};
}

class SetUp {
  /** @param {HTMLElement} page @param {Game} game @param {string | null} wanted */
  constructor(page, game, wanted) {
    this.game = game;
    /** @type {any} */
    this.info = null;
    /** @type {Chooser[]} */
    this.choosers = [];
    this.apart = false;
    const { options, count, quick_start: quick } = game.info;
    this.quick = read(quick.game.split(":")[1] || "");
    if (count) delete this.quick[count.name];
    const changed = () => this.refresh();
    const mapOption = (/** @type {any} */ each) => /random (map|board)/.test(each.about);
    const made = (/** @type {any[]} */ list) =>
      list.map((each) => control(each, changed)).filter((each) => each !== null);
    const rules = options.filter((each) => each.name !== count?.name && !mapOption(each));
    this.rules = made(rules);
    this.map = made(options.filter(mapOption));
    this.board = this.boards(() => (this.board.value === RANDOM ? this.newMap() : this.refresh()));
    this.players = this.counts(changed);
    this.seats = h("div", { className: "seat-list" });
    this.told = h("code", { className: "spec small" });
    this.start = h("button", { className: "primary", type: "button", onclick: () => this.create() }, t("setup.start"));
    this.wait = h("div", { role: "status" });
    this.make(page);
    this.set(wanted || quick.game);
    this.refresh();
  }

  /** @param {() => void} changed */
  boards(changed) {
    return h(
      "select",
      { onchange: changed },
      offered(this.game).map((each) => h("option", { value: each.name }, `${each.name}: ${served(each.about)}`)),
    );
  }

  /** @param {() => void} changed */
  counts(changed) {
    const count = this.game.info.count;
    if (!count) return null;
    const all = Array.from({ length: count.most - count.least + 1 }, (_, i) => count.least + i);
    return h(
      "select",
      { onchange: changed },
      h("option", { value: "" }, t("setup.as-usual")),
      all.map((n) => h("option", { value: n }, n)),
    );
  }

  /** Put what a spec says into the controls. @param {string} spec */
  set(spec) {
    const [board, text] = (spec.split("/")[1] || "").split(":");
    const given = read(text || "");
    if (board && ![...this.board.options].some((/** @type {any} */ each) => each.value === board))
      this.board.append(h("option", { value: board }, board));
    this.board.value = board || this.game.info.default_board;
    const count = this.game.info.count;
    if (this.players && count) this.players.value = given[count.name] || "";
    for (const each of [...this.rules, ...this.map]) each.set(given[each.name] ?? "");
  }

  spec() {
    const count = this.game.info.count;
    const options = written(this.rules);
    if (count && this.players?.value) options.unshift(`${count.name}=${this.players.value}`);
    if (this.board.value === RANDOM) options.push(...written(this.map));
    return `${this.game.info.name}/${this.board.value}${options.length ? `:${options.join(",")}` : ""}`;
  }

  newMap() {
    const seed = this.map.find((each) => each.name === "seed");
    seed?.set(String(newSeed()));
    this.refresh();
  }

  /** @param {boolean} quick */
  useSetUp(quick) {
    for (const each of this.rules) if (each.name in this.quick) each.set(quick ? this.quick[each.name] : "");
    this.refresh();
  }

  /** @param {HTMLElement} page */
  make(page) {
    const { title, count } = this.game.info;
    const label = (/** @type {string} */ text, /** @type {any} */ input) => {
      input.setAttribute("aria-label", text);
      return h("label", {}, text, input);
    };
    const name = nickname() === "You" ? "" : nickname();
    this.name = h("input", { value: name, placeholder: t("setup.name"), maxlength: 24 });
    this.table = h("input", { maxlength: 40, placeholder: t("setup.table-name.hint") });
    this.clock = h(
      "select",
      {},
      h("option", { value: "none" }, t("setup.clock.none")),
      [30, 60].map((n) => h("option", { value: `move:${n}` }, t("setup.clock.move", { n }))),
      [300, 900].map((n) => h("option", { value: `game:${n}` }, t("setup.clock.game", { n: n / 60 }))),
    );
    this.length = h(
      "select",
      {},
      [1, 2, 4, 6, 10, 20, 50, 100].map((n) => h("option", { value: n }, t("setup.games", { n: number(n) }))),
    );
    this.swap = h("input", { type: "checkbox" });
    this.swap.checked = true;
    this.public = h("input", { type: "checkbox" });
    this.analysis = h("input", { type: "checkbox" });
    this.apartBox = h("input", {
      type: "checkbox",
      onchange: () => {
        this.apart = this.apartBox.checked;
        this.refresh();
      },
    });
    this.apartLine = h("label", { className: "row", hidden: true }, this.apartBox, t("setup.apart"));
    this.mapPanel = h(
      "div",
      { className: "fields", hidden: true },
      this.map.map((each) => each.line),
      h("button", { type: "button", onclick: () => this.newMap() }, t("setup.new-map")),
    );
    const quick = Object.keys(this.quick).length
      ? h(
          "div",
          { className: "row" },
          h("button", { type: "button", onclick: () => this.useSetUp(true) }, t("setup.quick")),
          h("button", { type: "button", onclick: () => this.useSetUp(false) }, t("setup.full")),
        )
      : null;
    show(
      page,
      h(
        "div",
        { className: "setup" },
        h("header", { className: "row" }, h("div", { className: "thumb" }, picture(this.game)), h("h1", {}, title)),
        h(
          "section",
          { className: "panel" },
          h("h2", {}, t("setup.who-plays")),
          this.seats,
          this.apartLine,
          h(
            "div",
            { className: "fields" },
            label(t("setup.name"), this.name),
            label(t("setup.series"), this.length),
            label(t("setup.clock"), this.clock),
            label(t("setup.table-name"), this.table),
          ),
          h("label", { className: "row" }, this.swap, t("setup.swap")),
          h("label", { className: "row" }, this.public, t("setup.public")),
          h("label", { className: "row" }, this.analysis, t("setup.analysis")),
        ),
        h(
          "section",
          { className: "panel" },
          h("h2", {}, t("setup.rules")),
          h(
            "div",
            { className: "fields" },
            label(t("setup.board"), this.board),
            count && this.players ? label(tOr(`option.${count.name}`, count.title), this.players) : null,
          ),
          this.mapPanel,
          quick,
          h(
            "details",
            { className: "rules" },
            h("summary", {}, t("setup.all-rules")),
            h(
              "div",
              { className: "fields" },
              this.rules.map((each) => each.line),
            ),
          ),
          h("p", { className: "soft small" }, t("setup.spec"), " ", this.told),
        ),
        h("div", { className: "actions bottom" }, this.wait, this.start),
      ),
    );
  }

  /** @param {string} [text] */
  hold(text) {
    this.start.disabled = Boolean(text);
    this.start.textContent = text || t("setup.start");
  }

  async refresh() {
    const asked = this.spec();
    this.told.textContent = asked;
    this.mapPanel.hidden = this.board.value !== RANDOM;
    this.hold(t("setup.loading"));
    try {
      const found = await whileCompiling(this.wait, api.board(asked));
      if (asked !== this.spec()) return; // something else was chosen meanwhile
      this.info = found;
      this.seat(asked);
      this.hold();
    } catch (error) {
      if (asked !== this.spec()) return;
      this.info = null;
      this.choosers = [];
      show(this.seats, h("p", { className: "error", role: "alert" }, String(/** @type {Error} */ (error).message)));
      this.hold(t("setup.wrong"));
    }
  }

  /** One line for each side, or for each seat. @param {string} spec */
  seat(spec) {
    const info = this.info;
    const together = info.side_names.length < info.seat_names.length;
    this.apartLine.hidden = !together;
    const apart = together && this.apart;
    const names = apart ? info.seat_names : info.side_names;
    const before = this.choosers.length === names.length ? this.choosers.map((each) => each.value()) : [];
    const mine = apart ? info.side_of.indexOf(this.game.info.quick_start.side) : this.game.info.quick_start.side;
    const usual = (/** @type {number} */ i) => (i === mine ? "me" : `agent:${info.default_level}`);
    this.choosers = names.map(
      (/** @type {string} */ name, /** @type {number} */ i) =>
        new Chooser(served(name), spec, info.levels, before[i] || usual(i), String(i)),
    );
    show(
      this.seats,
      this.choosers.map((each) => each.line),
    );
  }

  async create() {
    if (!this.info || this.start.disabled) return;
    this.hold(t("setup.making"));
    setNickname(this.name.value.trim() || "You");
    const wishes = this.choosers.map((each) => each.wish());
    const bySeat = wishes.length === this.info.seat_names.length;
    const [kind, seconds] = this.clock.value.split(":");
    const mine = new Set(
      this.info.side_of.filter(
        (/** @type {number} */ side, /** @type {number} */ seat) => wishes[bySeat ? seat : side].kind === "me",
      ),
    );
    const length = Number(this.length.value);
    const wish = {
      game: this.spec(),
      seats: this.info.side_of.map(
        (/** @type {number} */ side, /** @type {number} */ seat) => wishes[bySeat ? seat : side],
      ),
      nickname: nickname(),
      public: this.public.checked,
      hotseat: mine.size > 1,
      clock: { kind, seconds: seconds ? Number(seconds) : null },
      name: this.table.value.trim(),
      analysis: this.analysis.checked || !wishes.some((each) => each.kind === "open"),
      series: length > 1 ? { length, swap: this.swap.checked } : null,
    };
    try {
      const id = await whileCompiling(this.wait, api.newTable(wish));
      const agentsOnly = wishes.every((each) => each.kind === "agent");
      go(wish.series && agentsOnly ? `/series/${id}` : `/table/${id}`);
    } catch (error) {
      toast(String(/** @type {Error} */ (error).message));
      this.hold();
    }
  }
}
