// One table: the waiting room, the game, and what comes after it.
// @ts-check
import { analysisPanel, analystChoice, hintNote } from "./analysis.js";
import { api, TableSocket, tokens } from "./api.js";
import { notify, setTitle } from "./attention.js";
import { Chat } from "./chat.js";
import { dialog, h, show, toast } from "./dom.js";
import { Feed } from "./feed.js";
import { Film } from "./film.js";
import { keepingFocus } from "./focus.js";
import { dotColour, loadGame } from "./game-module.js";
import { Coach, openHelp } from "./help.js";
import { icon, iconButton } from "./icons.js";
import { go } from "./main.js";
import { BANNER_MILLISECONDS, showEnding, showMoment } from "./moments.js";
import { openSettings } from "./settings.js";
import { play as playSound } from "./sounds.js";
import { Story } from "./story.js";
import { Tabs } from "./tabs.js";
import { served, t } from "./texts.js";
import { copyable, openSeats, waitingRoom } from "./waiting.js";
import { who } from "./words.js";

/** @typedef {import("./game-module.js").Game} Game */
/** @typedef {import("./game-module.js").GameBoard} GameBoard */
/** @typedef {import("./tabs.js").Tab} Tab */

const MOST_LISTED = 60;
/** Where there is room for the events beside the tabs; the same in game.css. */
const WIDE = "(min-width: 1600px) and (min-height: 700px)";

/** @param {HTMLElement} page @param {string} id */
export async function open(page, id) {
  const summary = await api.table(id);
  const screen = new TableScreen(page, id, await loadGame(summary.family));
  return () => screen.close();
}

class TableScreen {
  /** @param {HTMLElement} page @param {string} id @param {Game} game */
  constructor(page, id, game) {
    this.page = page;
    this.id = id;
    this.game = game;
    /** What is on the screen. @type {any} */
    this.message = null;
    /** @type {any} */
    this.analysis = null;
    /** Who is asked in the analysis, if not the strongest player. @type {string | null} */
    this.analyst = null;
    /** Where that is chosen; made with the analysis. @type {HTMLSelectElement} */
    this.analysts;
    /** Made when the game begins. @type {GameBoard} */
    this.boardView;
    /** With the board: who says what happened, where it is listed, and the tabs. @type {Story} */
    this.story;
    /** @type {Feed} */
    this.feed;
    /** @type {Coach} */
    this.coach;
    /** @type {Tabs} */
    this.tabs;
    /** @type {HTMLElement} */
    this.events;
    /** @type {Promise<void> | null} */
    this.making = null;
    /** The newest message, which may still wait to be shown. @type {any} */
    this.received = null;
    /** What was seen after one's own last move. @type {any} */
    this.mineBefore = null;
    this.sent = -1;
    /** Whether a good move is being looked for. */
    this.hinting = false;
    this.film = new Film(
      (m) => this.present(m),
      (waiting) => this.showWaiting(waiting),
    );
    this.chat = new Chat((text, team) => this.socket.send({ type: "chat", text, team }));
    this.keys = (/** @type {KeyboardEvent} */ e) => this.key(e);
    this.wide = matchMedia(WIDE);
    this.arrange = () => this.placeEvents();
    document.documentElement.dataset.family = game.info.name;
    document.documentElement.dataset.screen = "table";
    this.build();
    this.socket = this.connect();
    this.ticker = 0;
  }

  connect() {
    return new TableSocket(
      this.id,
      (m) => this.receive(m),
      (ok) => this.connected(ok),
    );
  }

  close() {
    this.socket.close();
    this.film.close();
    clearInterval(this.ticker);
    document.removeEventListener("keydown", this.keys);
    this.wide.removeEventListener("change", this.arrange);
    delete document.documentElement.dataset.screen;
    setTitle("", false);
  }

  build() {
    this.live = h("div", { className: "unseen", role: "status", "aria-live": "polite" });
    this.turn = h("div", { className: "turn-line" }, t("table.connecting"));
    this.tools = h("div", { className: "row tools" });
    this.status = h("div", { className: "panel status" }, this.turn, this.tools);
    this.area = h("div", { className: "panel board-area" });
    this.acts = h("div", { className: "side-acts", tabindex: "-1" });
    this.facts = h("div", { className: "side-facts", tabindex: "0" });
    this.newest = h("span", { className: "newest" });
    this.handle = h(
      "button",
      { type: "button", className: "handle", "aria-expanded": "false", onclick: () => this.slide() },
      icon("up"),
      this.newest,
    );
    this.side = h("div", { className: "side" });
    show(this.page, h("div", { className: "table" }, this.status, this.area, this.side, this.live));
    document.addEventListener("keydown", this.keys);
  }

  /** On a phone the side is a sheet over the foot of the board. */
  slide() {
    const open = this.side.classList.toggle("open");
    this.handle.setAttribute("aria-expanded", String(open));
  }

  /** @param {boolean} ok */
  connected(ok) {
    if (!ok) show(this.turn, h("strong", {}, t("table.lost")));
    else if (this.message) this.renderStatus(this.message);
  }

  /** @param {any} message */
  async receive(message) {
    if (message.type === "error") {
      toast(served(message.error));
      if (this.analyst && this.analysing && !this.analysis) this.chooseAnalyst(null);
      this.sent = -1;
      this.area.removeAttribute("aria-busy");
      return;
    }
    if (message.type === "notice") return this.notice(message.text);
    if (message.type === "analysis") return this.showAnalysis(message);
    if (message.type === "past") return this.remember(message);
    if (message.type !== "table") return;
    if (message.phase === "waiting") return this.waitingRoom(message);
    this.received = message;
    if (!this.boardView) await this.makeBoard();
    if (message !== this.received) return; // a newer one came while the board was drawn
    if (this.story.lacks(message)) this.socket.send({ type: "past" });
    this.story.note(message);
    this.film.add(message);
  }

  /** What the last moves did, of which this browser has seen nothing. @param {any} past */
  remember(past) {
    if (!this.message || past.viewer_seat !== this.message.viewer_seat) return;
    this.story.recall(past, this.message);
    this.feed.update(this.message, this.summary(this.message));
  }

  async makeBoard() {
    this.making ??= api.boardOf(this.id).then((board) => {
      this.boardSpec = board.spec;
      this.boardView = new this.game.Board(this.area, board, (code) => this.play(code));
      this.boardView.onSelect = () => this.renderActs(this.message);
      this.coach = new Coach(this.game);
      this.story = new Story(this.boardView, this.id);
      this.feed = new Feed(this.game, this.story);
      this.thoughts = h("div", {});
      this.guide = h("div", { onclick: () => this.coach.off && this.tabs.remove("guide") });
      const first = !this.coach.off && this.received.mine.length > 0;
      const analysed = this.received.analysis !== false; // a table's maker can forbid it
      this.tabs = new Tabs(t("table.tabs"), [
        ...(first ? [/** @type {Tab} */ (["guide", t("table.guide"), this.guide])] : []),
        ["events", t("feed.title"), this.feed.element],
        ["chat", t("chat.title"), this.chat.element],
        ...(analysed ? [/** @type {Tab} */ (["analysis", t("analysis.title"), this.thoughts])] : []),
      ]);
      this.tabs.onOpen = (name) => this.tabOpened(name);
      this.events = h(
        "section",
        { className: "panel events" },
        h("h3", {}, t("feed.title")),
        h("div", { tabindex: "0" }),
      );
      const column = (/** @type {any[]} */ ...children) => h("div", { className: "column" }, children);
      show(this.side, this.handle, column(this.acts, this.events), column(this.facts, this.tabs.element));
      this.wide.addEventListener("change", this.arrange);
      this.arrange();
    });
    await this.making;
  }

  /** A wide screen always shows what happened; elsewhere it is in a tab. */
  placeEvents() {
    const wide = this.wide.matches;
    this.events.hidden = !wide;
    (wide ? this.events.lastElementChild : this.tabs.panels.get("events")).append(this.feed.element);
    this.tabs.hide("events", wide);
    this.feed.toEnd();
  }

  /** What one must know that is no move. @param {string} text */
  notice(text) {
    toast(served(text));
    this.live.textContent = served(text);
  }

  /** @param {number} code */
  play(code) {
    if (this.sent === this.message.version) return;
    this.sent = this.message.version;
    this.area.setAttribute("aria-busy", "true"); // until the move is answered
    this.socket.play(code, this.message.version);
  }

  /** A position comes onto the screen. @param {any} m */
  present(m) {
    const before = this.message;
    this.message = m;
    if (m.version !== this.sent) this.area.removeAttribute("aria-busy");
    if (!before || before.version !== m.version || before.viewer_seat !== m.viewer_seat) this.forgetThoughts();
    this.render(m);
    this.tellNews(before, m);
    if (this.analysing && m.legal.length && !this.analysis) this.askAnalysis();
    if (m.next && before && !before.next) this.toRematch(m.next);
  }

  /** What was thought of another position. */
  forgetThoughts() {
    this.analysis = null;
    this.hinting = false;
    this.area.querySelector(".hint")?.remove();
  }

  /** What is new is shown, said and heard. @param {any} before @param {any} m */
  tellNews(before, m) {
    const mine = m.mine.includes(m.to_move) && m.phase === "playing";
    const wasMine = before && before.mine.includes(before.to_move) && before.phase === "playing";
    const turn = mine ? t("table.your-turn") : t("table.to-move", { name: served(m.seats[m.to_move]?.name ?? "") });
    const state = m.phase === "over" ? served(m.outcome) : turn;
    setTitle(`${state} · ${this.game.info.title}`, mine);
    if (m.phase === "over" && before?.phase !== "over") this.end(m);
    if (mine && !wasMine) {
      notify(t("table.your-turn"), this.game.info.title);
      if (before) playSound("turn");
    }
    if (!before || before.viewer_seat !== m.viewer_seat || before.version >= m.version) return;
    const moves = m.history.slice(before.version);
    const said = moves.slice(-4).map((/** @type {any} */ move) => this.story.sentence(m, move));
    const then = m.phase === "over" ? served(m.outcome) : mine ? t("table.it-is-your-turn") : "";
    this.live.textContent = `${said.join(" ")} ${then}`;
    if (moves.length !== 1) return;
    const moment = this.boardView.moment?.(moves[0], before.view, m.view);
    playSound(moment?.sound || "move");
    if (!moment || m.phase === "over") return;
    showMoment(this.area, moment);
    this.film.hold(BANNER_MILLISECONDS / 2);
  }

  /** @param {any} m */
  end(m) {
    playSound("end");
    if (this.tabs.name === "guide") this.tabs.open("events"); // no more advice comes
    showEnding(this.area, served(m.outcome), [
      h("div", { className: "statistics" }, this.boardView.ending?.(m)),
      h("div", { className: "actions" }, this.afterwards(m)),
    ]);
  }

  /** @param {any} m */
  render(m) {
    this.boardView.setBelief(this.analysing && this.analysis ? this.analysis.belief : null);
    this.boardView.update(m);
    this.area.dataset.version = String(m.version);
    this.area.dataset.phase = m.phase;
    this.renderStatus(m);
    this.cover(m);
    this.renderSide(m);
    this.startClock(m);
  }

  /** @param {any} m */
  renderSide(m) {
    this.renderActs(m);
    keepingFocus(this.facts, () => show(this.facts, this.boardView.panels(m)));
    this.feed.update(m, this.summary(m));
    this.newest.textContent = this.newestEvent(m);
    const unread = this.chat.update(m, this.tabs.name === "chat");
    this.tabs.mark("chat", unread ? String(unread) : "");
    this.renderAnalysis();
    if (this.tabs.name === "guide") keepingFocus(this.guide, () => show(this.guide, this.coach.panel(m)));
  }

  /** @param {any} m @returns {string} */
  newestEvent(m) {
    const last = m.history[m.history.length - 1];
    return last ? this.story.sentence(m, last) : t("table.begins");
  }

  /** What one can do, and who plays. @param {any} m */
  renderActs(m) {
    keepingFocus(this.acts, () => show(this.acts, this.movesPanel(m), this.seatsPanel(m)));
  }

  /** What matters since one's last turn. @param {any} m @returns {string[]} */
  summary(m) {
    const last = m.history[m.history.length - 1];
    if (last && m.mine.includes(last.seat)) this.mineBefore = m.view;
    const moves = m.history.slice(this.story.sinceMine(m));
    return (moves.length && this.boardView.summary?.(this.mineBefore, m, moves)) || [];
  }

  get analysing() {
    return this.tabs?.name === "analysis";
  }

  renderAnalysis() {
    if (!this.analysing) return;
    this.analysts ??= analystChoice(this.boardSpec, (agent) => this.chooseAnalyst(agent));
    const panel = analysisPanel(this.game, this.boardView, this.analysis, this.message.legal.length > 0);
    keepingFocus(this.thoughts, () => show(this.thoughts, this.analysts, panel));
  }

  /** @param {string | null} agent */
  chooseAnalyst(agent) {
    this.analyst = agent;
    this.analysts.value = agent ?? "";
    this.analysis = null;
    this.render(this.message);
    if (this.message.legal.length) this.askAnalysis();
  }

  askAnalysis() {
    this.socket.send(this.analyst ? { type: "analysis", agent: this.analyst } : { type: "analysis" });
  }

  /** @param {string} name */
  tabOpened(name) {
    if (!this.message) return;
    this.analysis = null;
    if (name === "analysis" && this.message.mine.length) this.askAnalysis();
    this.render(this.message);
  }

  /** @param {any} m */
  renderStatus(m) {
    const mine = m.mine.includes(m.to_move) && m.phase === "playing";
    this.status.className = `panel status${mine ? " mine" : ""}${m.phase === "over" ? " ended" : ""}`;
    const seat = m.seats[m.to_move];
    const agent = seat?.kind === "agent";
    let text = "";
    const name = served(seat?.name ?? "");
    if (m.phase === "over") text = `${served(m.outcome)}.`;
    else if (mine) text = t("table.yours", { name, expected: this.boardView.expected?.(m) ?? served(m.expected) });
    else text = t(agent ? "table.thinks" : "table.theirs", { name, who: who(seat, m.mine) });
    if (m.compiling && m.phase === "playing" && agent) text = t("table.compiling", { name, n: m.compiling.done });
    const clock = seat && seat.clock !== null && m.phase === "playing";
    show(
      this.turn,
      clock ? h("span", { className: "clock", "data-clock": seat.seat }, time(seat.clock)) : null,
      h("strong", {}, text),
      m.mine.length ? null : h("span", { className: "soft small" }, ` ${t("table.watching")}`),
      h("span", { className: "newest soft small" }, this.newestEvent(m)),
    );
    keepingFocus(this.tools, () => show(this.tools, this.buttons(m)));
  }

  /** @param {any} m */
  buttons(m) {
    const waiting = this.film.queue.length;
    const always = [
      iconButton("rules", t("table.rules"), () => openHelp(this.game), "quiet"),
      iconButton("share", t("table.share"), () => this.share(), "quiet"),
      iconButton("settings", t("settings.title"), openSettings, "quiet"),
    ];
    if (m.phase === "over") return [this.afterwards(m), always];
    return [
      m.held.length
        ? h(
            "button",
            { className: "primary", type: "button", onclick: () => this.socket.send({ type: "reclaim" }) },
            t("table.reclaim"),
          )
        : null,
      m.can_undo
        ? iconButton("undo", t("table.undo"), () => this.socket.send({ type: "undo", version: this.message.version }))
        : null,
      waiting ? iconButton("skip", t("table.skip"), () => this.film.skip()) : null,
      always,
      m.mine.length ? iconButton("leave", t("table.leave"), () => this.leave(), "quiet danger") : null,
    ];
  }

  /** What can be done once the game is over. @param {any} m */
  afterwards(m) {
    const again = () => (m.next ? this.toRematch(m.next) : this.socket.send({ type: "rematch" }));
    return [
      m.mine.length
        ? h(
            "button",
            { className: "primary", type: "button", onclick: again },
            m.next ? t("table.to-rematch") : t("table.rematch"),
          )
        : null,
      h("button", { type: "button", onclick: () => go(`/replay/${this.id}`) }, t("table.replay")),
      h("button", { type: "button", onclick: () => go(`/review/${this.id}`) }, t("table.review")),
      m.series ? h("button", { type: "button", onclick: () => go(`/series/${this.id}`) }, t("table.series")) : null,
      h("button", { type: "button", onclick: () => this.download() }, t("table.download")),
    ];
  }

  /** @param {number} waiting */
  showWaiting(waiting) {
    const shown = Boolean(this.tools.querySelector(`[aria-label="${t("table.skip")}"]`));
    if (this.message && shown !== waiting > 0) this.renderStatus(this.message);
  }

  /** @param {any} m */
  cover(m) {
    this.area.querySelector(".cover")?.remove();
    if (m.hand_over === null || m.hand_over === undefined) return;
    const name = served(m.seats[m.hand_over].name);
    this.area.append(
      h(
        "div",
        { className: "cover" },
        h("h2", {}, t("table.hand-over", { name })),
        h("p", { className: "soft" }, t("table.hand-over.about")),
        h(
          "button",
          {
            className: "primary",
            type: "button",
            onclick: () => this.socket.send({ type: "show", seat: m.hand_over }),
          },
          t("table.i-am", { name }),
        ),
      ),
    );
  }

  /** @param {any} m */
  movesPanel(m) {
    const name = m.legal.length ? served(m.seats[m.to_move].name) : "";
    const title = name ? t("table.your-moves-as", { name }) : t("table.your-moves");
    return h(
      "section",
      { className: "panel moves-panel" },
      h("div", { className: "row spread" }, h("h3", {}, m.mine.length ? title : t("table.moves")), this.hintButton(m)),
      m.legal.length ? this.moveButtons(m) : h("p", { className: "small soft" }, this.whyNone(m)),
    );
  }

  /** @param {any} m */
  whyNone(m) {
    if (m.phase === "over") return t("table.over");
    return m.mine.length ? t("table.moves-now", { name: served(m.seats[m.to_move].name) }) : t("table.watching");
  }

  /** @param {any} m */
  moveButtons(m) {
    const listed = this.boardView.listed ? this.boardView.listed(m.legal) : m.legal;
    const buttons = listed.slice(0, MOST_LISTED).map((/** @type {any} */ move) =>
      h(
        "button",
        {
          type: "button",
          "data-code": move.code,
          style: this.boardView.moveStyle ? this.boardView.moveStyle(move) : {},
          onclick: () => this.play(move.code),
          onpointerenter: () => this.boardView.point?.(move),
          onpointerleave: () => this.boardView.point?.(null),
          onfocus: () => this.boardView.point?.(move),
          onblur: () => this.boardView.point?.(null),
        },
        this.boardView.moveText ? this.boardView.moveText(move) : move.text,
      ),
    );
    const rest = m.legal.length - buttons.length;
    const more = rest > 0 ? h("span", { className: "small soft" }, t("table.more", { n: rest })) : null;
    return h("div", { className: "moves" }, buttons, more);
  }

  /** @param {any} m */
  seatsPanel(m) {
    return h(
      "section",
      { className: "panel players" },
      h("h3", {}, t("table.players")),
      h(
        "div",
        { className: "seats" },
        m.seats.map((/** @type {any} */ seat) => this.seatLine(m, seat)),
      ),
    );
  }

  /** @param {any} m @param {any} seat */
  seatLine(m, seat) {
    const gone = seat.kind === "person" && !seat.connected;
    const help = gone && m.phase === "playing" && m.mine.length && !m.mine.includes(seat.seat);
    const takeOver = () => this.socket.send({ type: "takeover", seat: seat.seat });
    const turn = seat.seat === m.to_move && m.phase === "playing";
    return h(
      "div",
      { className: `seat${turn ? " turn" : ""}${gone ? " gone" : ""}`, "aria-current": turn ? "true" : null },
      h("span", { className: "dot", style: { background: dotColour(this.game, seat.seat) } }),
      h(
        "span",
        { className: "who" },
        h("strong", {}, served(seat.name)),
        h("span", { className: "soft" }, ` ${who(seat, m.mine)}${gone ? t("table.away") : ""}`),
      ),
      seat.clock === null ? null : h("span", { className: "small", "data-clock": seat.seat }, time(seat.clock)),
      help ? h("button", { className: "quiet small", type: "button", onclick: takeOver }, t("table.let-ai")) : null,
      h("span", { className: "wallet" }, this.boardView.wallet(m.view, seat.seat)),
    );
  }

  /** @param {any} m */
  hintButton(m) {
    if (!m.legal.length || m.analysis === false) return null;
    const asked = { className: "quiet small", type: "button", onclick: () => this.askHint() };
    return h("button", { ...asked, disabled: this.hinting }, t("help.show"));
  }

  askHint() {
    this.hinting = true;
    this.side.classList.remove("open"); // on a phone the board is where the answer is shown
    this.socket.send({ type: "analysis" });
    this.renderActs(this.message);
  }

  /** @param {any} found */
  showHint(found) {
    this.hinting = false;
    this.renderActs(this.message);
    const move = this.message.legal.find((/** @type {any} */ m) => m.code === found.best);
    if (!move) return;
    this.area.querySelector(".hint")?.remove();
    this.area.append(hintNote(this.boardView, move, found.why));
    this.live.textContent = this.area.querySelector(".hint")?.textContent || "";
    for (const button of document.querySelectorAll(`[data-code="${found.best}"]`)) button.classList.add("hinted");
    this.boardView.highlight?.(move);
  }

  /** @param {any} found */
  showAnalysis(found) {
    if (!this.message || found.version !== this.message.version) return;
    const asked = !this.analyst || found.by === this.analyst;
    if (asked) this.analysis = found;
    if (this.analysing) this.render(this.message);
    if (!this.hinting || (this.analyst && asked)) return;
    this.showHint(found); // of the strongest player
    if (this.analysing && !this.analysis) this.askAnalysis(); // who was interrupted by this
  }

  share() {
    const box = dialog(
      h("h2", {}, t("table.share.title")),
      h("p", { className: "soft" }, t("table.share.about")),
      copyable(this.link(), true),
      h("div", { className: "actions" }, h("button", { type: "button", onclick: () => box.close() }, t("table.close"))),
    );
  }

  async download() {
    const record = await api.record(this.id);
    const file = new Blob([JSON.stringify(record, null, 1)], { type: "application/json" });
    const link = h("a", { href: URL.createObjectURL(file), download: `fogbound-${this.id}.json` });
    link.click();
  }

  async leave() {
    if (this.message.phase === "playing" && !confirm(t("table.leave.sure"))) return;
    await api.leave(this.id).catch((e) => toast(e.message));
    go("/");
  }

  /** @param {string} next */
  toRematch(next) {
    const token = tokens.get(this.id);
    if (!token || !this.message.mine.length) return;
    tokens.set(next, token);
    go(`/table/${next}`);
  }

  // The waiting room.

  /** @param {any} m */
  waitingRoom(m) {
    show(this.turn, h("strong", {}, openSeats(m).length ? t("table.waiting-for") : t("table.all-here")));
    show(this.tools, h("button", { type: "button", onclick: () => this.share() }, t("table.invite")));
    const acts = {
      ready: (/** @type {boolean} */ ready) => this.socket.send({ type: "ready", ready }),
      start: () => this.socket.send({ type: "start", fill: this.game.info.default_level }),
    };
    show(this.area, waitingRoom(this.game, m, this.link(), acts));
    show(this.side, h("section", { className: "panel lone-chat" }, h("h3", {}, t("chat.title")), this.chat.element));
    this.chat.update(m, true);
  }

  link() {
    return `${location.origin}/table/${this.id}`;
  }

  /** The second hand moves only where there is a clock. @param {any} m */
  startClock(m) {
    clearInterval(this.ticker);
    const seat = m.seats[m.to_move];
    if (m.phase !== "playing" || !seat || seat.clock === null) return;
    const until = Date.now() + 1000 * seat.clock;
    this.ticker = window.setInterval(() => {
      const left = Math.max(0, (until - Date.now()) / 1000);
      for (const field of this.page.querySelectorAll(`[data-clock="${seat.seat}"]`)) {
        field.textContent = time(left);
        field.classList.toggle("short", left < 10);
      }
    }, 1000);
  }

  /** Keys: arrows walk through the moves, Enter plays, u takes back, a analyses, s skips. @param {KeyboardEvent} e */
  key(e) {
    const target = /** @type {Element} */ (e.target);
    if (!this.message || /INPUT|SELECT|TEXTAREA/.test(target.tagName) || e.ctrlKey || e.metaKey || e.altKey) return;
    if (target.closest("dialog, .popover")) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (step) this.walk(e, step);
    else if (e.key === "u" && this.message.can_undo) this.socket.send({ type: "undo", version: this.message.version });
    else if (e.key === "a" && this.message.mine?.length) this.tabs.open(this.analysing ? "events" : "analysis");
    else if (e.key === "s") this.film.skip();
    else if (e.key === "?") openHelp(this.game);
    else if (e.key === "Escape") this.area.querySelector(".popover, .ending, .hint")?.remove();
  }

  /** @param {KeyboardEvent} e @param {number} step */
  walk(e, step) {
    const buttons = /** @type {HTMLElement[]} */ ([...this.acts.querySelectorAll(".moves button")]);
    if (!buttons.length) return;
    e.preventDefault();
    const at = buttons.indexOf(/** @type {any} */ (document.activeElement));
    buttons[at < 0 ? (step > 0 ? 0 : buttons.length - 1) : (at + step + buttons.length) % buttons.length].focus();
  }
}

/** @param {number} seconds */
function time(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
