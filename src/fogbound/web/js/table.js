// One table: the waiting room, the game, and what comes after it.
// @ts-check
import { analysisPanel } from "./analysis.js";
import { api, TableSocket, tokens } from "./api.js";
import { dialog, h, seatColour, show, toast } from "./dom.js";
import { dotColour, loadGame } from "./game-module.js";
import { Coach, openHelp } from "./help.js";
import { go } from "./main.js";
import { setNickname } from "./names.js";
import { copyable, openSeats, waitingRoom } from "./waiting.js";

/** @typedef {import("./game-module.js").Game} Game */
/** @typedef {import("./game-module.js").GameBoard} GameBoard */

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
    this.analysing = false;
    /** @type {any} */
    this.analysis = null;
    /** Made when the game begins. @type {GameBoard} */
    this.boardView;
    this.sent = -1;
    this.hinting = false;
    this.keys = (/** @type {KeyboardEvent} */ e) => this.key(e);
    document.documentElement.dataset.family = game.info.name;
    this.build();
    this.socket = new TableSocket(
      id,
      (m) => this.receive(m),
      (ok) => this.connected(ok),
    );
    this.ticker = setInterval(() => this.tick(), 1000);
  }

  close() {
    this.socket.close();
    clearInterval(this.ticker);
    document.removeEventListener("keydown", this.keys);
  }

  build() {
    this.status = h("div", { className: "panel status", role: "status", "aria-live": "polite" }, "Connecting ...");
    this.area = h("div", { className: "panel board-area" });
    this.side = h("div", { className: "side" });
    this.chatLines = h("div", { className: "chat-lines", "aria-label": "Chat" });
    this.chatInput = h("input", { placeholder: "Say something", maxlength: 500, "aria-label": "Say something" });
    this.chat = h(
      "section",
      { className: "panel" },
      h("h3", {}, "Chat"),
      this.chatLines,
      h(
        "form",
        { className: "chat-form", onsubmit: (/** @type {Event} */ e) => this.say(e) },
        this.chatInput,
        h("button", {}, "Send"),
      ),
    );
    show(this.page, h("div", { className: "table" }, this.status, this.area, this.side));
    document.addEventListener("keydown", this.keys);
  }

  /** @param {Event} event */
  say(event) {
    event.preventDefault();
    const text = this.chatInput.value.trim();
    if (text) this.socket.send({ type: "chat", text });
    this.chatInput.value = "";
  }

  /** @param {boolean} ok */
  connected(ok) {
    if (!ok) show(this.status, h("strong", {}, "Connection lost. Trying again ..."));
  }

  /** @param {any} message */
  async receive(message) {
    if (message.type === "error") {
      toast(message.error);
      this.sent = -1;
      return;
    }
    if (message.type === "notice") return toast(message.text);
    if (message.type === "analysis") return this.showAnalysis(message);
    if (message.type !== "table") return;
    const before = this.message;
    this.message = message;
    if (message.phase === "waiting") return this.waitingRoom(message);
    if (!this.boardView) await this.makeBoard();
    if (message !== this.message) return;
    if (!before || before.version !== message.version) this.analysis = null;
    this.render(message);
    if (this.analysing && message.legal?.length && !this.analysis) this.socket.send({ type: "analysis" });
    if (message.next && before && !before.next) this.offerRematch(message.next);
  }

  async makeBoard() {
    this.board = await api.boardOf(this.id);
    if (this.boardView) return;
    this.boardView = new this.game.Board(this.area, this.board, (code) => this.play(code));
    this.boardView.onSelect = () => this.renderSide(this.message);
    this.coach = new Coach(this.game, () => this.askHint());
  }

  /** @param {number} code */
  play(code) {
    if (this.sent === this.message.version) return;
    this.sent = this.message.version;
    this.socket.play(code, this.message.version);
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
  }

  /** @param {any} m */
  renderSide(m) {
    const focused = document.activeElement === this.chatInput;
    show(
      this.side,
      this.coach && m.mine.length ? this.coach.panel(m) : null,
      m.legal.length ? this.movesPanel(m) : null,
      this.analysing ? this.analysisPanel() : null,
      this.seatsPanel(m),
      this.boardView.panels(m),
      this.historyPanel(m),
      this.chat,
    );
    this.renderChat(m);
    if (focused) this.chatInput.focus();
  }

  /** @param {any} m */
  renderChat(m) {
    const line = (/** @type {any} */ said) => h("div", {}, h("strong", {}, `${said.from}: `), said.text);
    show(this.chatLines, m.chat.map(line));
    this.chatLines.scrollTop = this.chatLines.scrollHeight;
  }

  /** @param {any} m */
  renderStatus(m) {
    const mine = m.mine.includes(m.to_move);
    this.status.className = `panel status${mine ? " mine" : ""}`;
    const seat = m.seats[m.to_move];
    const agent = seat?.kind === "agent";
    let text = "";
    if (m.phase === "over") text = `${m.outcome}.`;
    else if (mine) text = `Your turn, ${seat.name}: ${m.expected}.`;
    else text = `${seat.name} (${seat.nickname || seat.kind}) is to move${agent ? " and thinks ..." : "."}`;
    if (m.compiling && m.phase === "playing" && agent)
      text = `${seat.name} is being compiled for this machine, only this once: ${m.compiling.done} parts done ...`;
    const watching = !m.mine.length ? h("span", { className: "soft small" }, "You are watching.") : null;
    show(
      this.status,
      h("div", {}, h("strong", {}, text), " ", watching),
      h("div", { className: "row" }, this.buttons(m)),
    );
  }

  /** @param {any} m */
  buttons(m) {
    const invite = h("button", { type: "button", onclick: () => this.share() }, "Share");
    if (m.phase === "over") {
      return [
        m.mine.length
          ? h(
              "button",
              { className: "primary", type: "button", onclick: () => this.socket.send({ type: "rematch" }) },
              m.next ? "To the rematch" : "Rematch, sides swapped",
            )
          : null,
        h("button", { type: "button", onclick: () => go(`/replay/${this.id}`) }, "Replay"),
        h("button", { type: "button", onclick: () => go(`/review/${this.id}`) }, "Review"),
        m.series ? h("button", { type: "button", onclick: () => go(`/series/${this.id}`) }, "Series") : null,
        h("button", { type: "button", onclick: () => this.download() }, "Download"),
        invite,
      ];
    }
    return [
      m.held.length
        ? h(
            "button",
            { className: "primary", type: "button", onclick: () => this.socket.send({ type: "reclaim" }) },
            "Take your seat back",
          )
        : null,
      m.can_undo
        ? h("button", { type: "button", onclick: () => this.socket.send({ type: "undo", version: m.version }) }, "Undo")
        : null,
      m.mine.length
        ? h(
            "button",
            {
              className: "quiet",
              type: "button",
              "aria-pressed": String(this.analysing),
              onclick: () => this.toggleAnalysis(),
            },
            "Analysis",
          )
        : null,
      h("button", { className: "quiet", type: "button", onclick: () => openHelp(this.game) }, "Rules"),
      invite,
      m.mine.length
        ? h("button", { className: "quiet danger", type: "button", onclick: () => this.leave() }, "Leave")
        : null,
    ];
  }

  /** @param {any} m */
  cover(m) {
    this.area.querySelector(".cover")?.remove();
    if (m.hand_over === null || m.hand_over === undefined) return;
    const name = m.seats[m.hand_over].name;
    this.area.append(
      h(
        "div",
        { className: "cover" },
        h("h2", {}, `Hand the screen to ${name}`),
        h("p", { className: "soft" }, "Nothing hidden is shown until you press the button."),
        h(
          "button",
          {
            className: "primary",
            type: "button",
            onclick: () => this.socket.send({ type: "show", seat: m.hand_over }),
          },
          `I am ${name}`,
        ),
      ),
    );
  }

  /** @param {any} m */
  movesPanel(m) {
    const most = 60;
    const listed = this.boardView.listed ? this.boardView.listed(m.legal) : m.legal;
    const buttons = listed.slice(0, most).map((/** @type {any} */ move) =>
      h(
        "button",
        {
          type: "button",
          "data-code": move.code,
          style: this.boardView.moveStyle ? this.boardView.moveStyle(move) : {},
          onclick: () => this.play(move.code),
        },
        this.boardView.moveText ? this.boardView.moveText(move) : move.text,
      ),
    );
    const rest =
      m.legal.length > buttons.length
        ? h("p", { className: "small soft" }, `and ${m.legal.length - buttons.length} more, on the board`)
        : null;
    return h(
      "section",
      { className: "panel" },
      h("h3", {}, `Your moves (${m.seats[m.to_move].name})`),
      h("div", { className: "moves" }, buttons),
      rest,
    );
  }

  /** @param {any} m */
  seatsPanel(m) {
    const rows = m.seats.map((/** @type {any} */ seat) => {
      const gone = seat.kind === "person" && !seat.connected;
      const who = seat.kind === "agent" ? `${seat.nickname} (AI)` : seat.nickname || "open";
      const clock =
        seat.clock === null ? null : h("span", { className: "small", "data-clock": seat.seat }, time(seat.clock));
      const help =
        gone && m.phase === "playing" && m.mine.length && !m.mine.includes(seat.seat)
          ? h(
              "button",
              {
                className: "quiet small",
                type: "button",
                onclick: () => this.socket.send({ type: "takeover", seat: seat.seat }),
              },
              "let an AI play",
            )
          : null;
      return h(
        "div",
        { className: `seat${seat.seat === m.to_move ? " turn" : ""}${gone ? " gone" : ""}` },
        h("span", { className: "dot", style: { background: dotColour(this.game, seat.seat) } }),
        h(
          "span",
          { className: "who" },
          h("strong", {}, seat.name),
          h(
            "span",
            { className: "soft" },
            ` ${who}${m.mine.includes(seat.seat) ? " (you)" : ""}${gone ? ", away" : ""}`,
          ),
        ),
        h("span", {}, clock, help),
        h("div", { className: "wallet" }, this.boardView.wallet(m.view, seat.seat)),
      );
    });
    return h("section", { className: "panel" }, h("h3", {}, "Players"), h("div", { className: "seats" }, rows));
  }

  /** @param {any} m */
  historyPanel(m) {
    const list = h(
      "ol",
      { className: "log", "aria-label": "Moves" },
      m.history
        .slice(-200)
        .map((/** @type {any} */ move) =>
          h(
            "li",
            {},
            h("span", { className: "n" }, move.number + 1),
            h("span", { style: { color: seatColour(move.seat) } }, m.seats[move.seat].name),
            h("span", {}, move.text),
          ),
        ),
    );
    requestAnimationFrame(() => {
      list.scrollTop = list.scrollHeight;
    });
    return h("section", { className: "panel" }, h("h3", {}, "Moves"), list);
  }

  toggleAnalysis() {
    this.analysing = !this.analysing;
    this.analysis = null;
    if (this.analysing) this.socket.send({ type: "analysis" });
    this.render(this.message);
  }

  askHint() {
    this.hinting = true;
    this.socket.send({ type: "analysis" });
  }

  /** @param {any} found */
  showHint(found) {
    this.hinting = false;
    const move = this.message.legal.find((/** @type {any} */ m) => m.code === found.best);
    if (!move) return;
    toast(`A good move: ${this.boardView.moveText ? this.boardView.moveText(move) : move.text}`, "good");
    for (const button of document.querySelectorAll(`[data-code="${found.best}"]`)) button.classList.add("hinted");
    this.boardView.highlight?.(move);
  }

  /** @param {any} found */
  showAnalysis(found) {
    if (found.version !== this.message.version) return;
    this.analysis = found;
    if (this.analysing) this.render(this.message);
    if (this.hinting) this.showHint(found);
  }

  analysisPanel() {
    return analysisPanel(this.game, this.analysis, this.message.legal.length > 0);
  }

  share() {
    const box = dialog(
      h("h2", {}, "Share this table"),
      h(
        "p",
        { className: "soft" },
        "Whoever opens this link can take an open seat or watch. Your own seat stays yours.",
      ),
      copyable(this.link(), true),
      h("div", { className: "actions" }, h("button", { type: "button", onclick: () => box.close() }, "Close")),
    );
  }

  async download() {
    const record = await api.record(this.id);
    const file = new Blob([JSON.stringify(record, null, 1)], { type: "application/json" });
    const link = h("a", { href: URL.createObjectURL(file), download: `fogbound-${this.id}.json` });
    link.click();
  }

  async leave() {
    if (this.message.phase === "playing" && !confirm("Leave the game? An AI will play on for you.")) return;
    await api.leave(this.id).catch((e) => toast(e.message));
    go("/");
  }

  /** @param {string} next */
  offerRematch(next) {
    const token = tokens.get(this.id);
    if (token && this.message.mine.length) {
      tokens.set(next, token);
      go(`/table/${next}`);
    }
  }

  // The waiting room.

  /** @param {any} m */
  waitingRoom(m) {
    show(
      this.status,
      h("strong", {}, openSeats(m).length ? "Waiting for players" : "Everybody is here"),
      h("div", { className: "row" }, h("button", { type: "button", onclick: () => this.share() }, "Invite by link")),
    );
    const acts = {
      ready: (/** @type {boolean} */ ready) => this.socket.send({ type: "ready", ready }),
      start: () => this.socket.send({ type: "start", fill: this.game.info.default_level }),
      join: (/** @type {string} */ name) => this.join(name),
    };
    show(this.area, waitingRoom(this.game, m, this.link(), acts));
    show(this.side, this.chat);
    this.renderChat(m);
  }

  /** @param {string} name */
  join(name) {
    setNickname(name);
    api
      .join(this.id, name)
      .then(() => this.reconnect())
      .catch((e) => toast(e.message));
  }

  link() {
    return `${location.origin}/table/${this.id}`;
  }

  reconnect() {
    this.socket.close();
    this.socket = new TableSocket(
      this.id,
      (m) => this.receive(m),
      (ok) => this.connected(ok),
    );
  }

  tick() {
    const m = this.message;
    if (!m || m.phase !== "playing") return;
    const seat = m.seats[m.to_move];
    if (!seat || seat.clock === null) return;
    seat.clock = Math.max(0, seat.clock - 1);
    const field = this.side.querySelector(`[data-clock="${seat.seat}"]`);
    if (field) field.textContent = time(seat.clock);
  }

  /** Keys: arrows walk through the moves, Enter plays, u takes back, a analyses. @param {KeyboardEvent} e */
  key(e) {
    if (
      !this.message ||
      /INPUT|SELECT|TEXTAREA/.test(/** @type {Element} */ (e.target).tagName) ||
      e.ctrlKey ||
      e.metaKey
    )
      return;
    const buttons = /** @type {HTMLElement[]} */ ([...this.side.querySelectorAll(".moves button")]);
    const at = buttons.indexOf(/** @type {any} */ (document.activeElement));
    if (e.key === "ArrowRight" || e.key === "ArrowDown") {
      if (buttons.length) {
        e.preventDefault();
        buttons[(at + 1) % buttons.length].focus();
      }
    } else if (e.key === "ArrowLeft" || e.key === "ArrowUp") {
      if (buttons.length) {
        e.preventDefault();
        buttons[(at - 1 + buttons.length) % buttons.length].focus();
      }
    } else if (e.key === "u" && this.message.can_undo)
      this.socket.send({ type: "undo", version: this.message.version });
    else if (e.key === "a" && this.message.mine?.length) this.toggleAnalysis();
    else if (e.key === "?") openHelp(this.game);
    else if (e.key === "Escape") this.area.querySelector(".popover")?.remove();
  }
}

/** @param {number} seconds */
function time(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
