// Looking at a finished game, step by step: all revealed or with one seat's eyes.
// @ts-check
import { analysisPanel, analystChoice } from "./analysis.js";
import { api } from "./api.js";
import { copy } from "./clipboard.js";
import { h, show, toast } from "./dom.js";
import { PACES, pace } from "./film.js";
import { keepingFocus } from "./focus.js";
import { dotColour, loadGame } from "./game-module.js";
import { iconButton } from "./icons.js";
import { Tabs } from "./tabs.js";
import { served, t } from "./texts.js";

/** @param {HTMLElement} page @param {string|null} id */
export async function open(page, id) {
  if (id) return view(page, await api.record(id), id, Number(location.hash.slice(1)) || 0);
  const input = h("input", {
    type: "file",
    accept: ".json,application/json",
    "aria-label": t("review.file"),
    onchange: async () => {
      try {
        const record = JSON.parse(await input.files[0].text());
        closer = await view(page, record);
      } catch (error) {
        toast(error instanceof SyntaxError ? t("review.not-record") : String(/** @type {Error} */ (error).message));
      }
    },
  });
  /** @type {() => void} */
  let closer = () => {};
  show(
    page,
    h(
      "div",
      { className: "panel", style: { "max-width": "560px", margin: "2rem auto" } },
      h("h1", {}, t("replay.open")),
      h("p", { className: "soft" }, t("replay.choose")),
      input,
    ),
  );
  return () => closer();
}

/** @param {HTMLElement} page @param {any} record @param {string|null} [id] @param {number} [start] */
export async function view(page, record, id = null, start = 0) {
  let seat = /** @type {number|null} */ (null);
  let game = await api.replay(record, seat);
  let at = 0;
  /** @type {any} */
  let analysis = null;
  /** Who is asked, if not the strongest player. @type {string | null} */
  let analyst = null;
  let timer = 0;
  /** @type {string[]} */
  let told = [];
  document.documentElement.dataset.family = game.family;
  document.documentElement.dataset.screen = "table";
  const area = h("div", { className: "panel board-area" });
  const drawn = await loadGame(game.family);
  const board = new drawn.Board(area, game, () => {});
  const analysts = analystChoice(game.spec, (agent) => {
    analyst = agent;
    think();
  });
  const text = h("strong", {});
  const tools = h("div", { className: "row tools transport" });
  const status = h(
    "div",
    { className: "panel status" },
    h("div", { className: "turn-line", role: "status" }, text),
    tools,
  );
  const acts = h("div", { className: "side-acts", tabindex: "-1" });
  const facts = h("div", { className: "side-facts", tabindex: "0" });
  const list = h("ol", { className: "log", "aria-label": t("table.moves") });
  const thoughts = h("div", {});
  const tabs = new Tabs(t("replay.tabs"), [
    ["moves", t("table.moves"), list],
    ["analysis", t("analysis.title"), thoughts],
  ]);
  const column = (/** @type {any[]} */ ...children) => h("div", { className: "column" }, children);
  const side = h("div", { className: "side" }, column(acts), column(facts, tabs.element));
  const slider = h("input", {
    type: "range",
    min: 0,
    max: game.positions.length - 1,
    value: 0,
    "aria-label": t("replay.position"),
    oninput: () => step(Number(slider.value)),
  });
  const eyes = h(
    "select",
    {
      "aria-label": t("replay.eyes"),
      onchange: async () => {
        seat = eyes.value === "all" ? null : Number(eyes.value);
        game = await api.replay(record, seat);
        tellAll();
        step(at);
      },
    },
    h("option", { value: "all" }, t("replay.all")),
    game.seat_names.map((/** @type {string} */ name, /** @type {number} */ i) =>
      h("option", { value: i }, t("replay.eyes-of", { name: served(name) })),
    ),
    h("option", { value: -1 }, t("replay.spectator")),
  );
  show(page, h("div", { className: "table" }, status, area, side));

  /** @param {number} to */
  function step(to) {
    at = Math.max(0, Math.min(game.positions.length - 1, to));
    slider.value = String(at);
    analysis = null;
    keepPlace();
    render();
  }
  function history() {
    return game.positions
      .slice(1, at + 1)
      .map((/** @type {any} */ p, /** @type {number} */ number) => ({ number, ...p.move }));
  }
  function render() {
    const position = game.positions[at];
    const message = {
      view: position.view,
      start: game.positions[0].view,
      to_move: position.to_move,
      legal: [],
      history: history(),
      mine: [],
      seats: game.seat_names.map((/** @type {string} */ name, /** @type {number} */ i) => ({ name, seat: i })),
      version: at,
      phase: at === game.positions.length - 1 && game.outcome ? "over" : "playing",
    };
    board.setBelief(analysis ? analysis.belief : null);
    board.update(message);
    text.textContent = at ? told[at - 1] : t("replay.start");
    if (at === game.positions.length - 1 && game.outcome) text.textContent += ` ${served(game.outcome)}.`;
    keepingFocus(tools, () =>
      show(
        tools,
        iconButton("first", t("replay.first"), () => step(0)),
        iconButton("back", t("replay.back"), () => step(at - 1)),
        timer ? iconButton("pause", t("replay.stop"), run) : iconButton("play", t("replay.play"), run),
        iconButton("forward", t("replay.forward"), () => step(at + 1)),
        iconButton("last", t("replay.last"), () => step(game.positions.length - 1)),
        id ? iconButton("share", t("replay.share"), () => copy(location.href)) : null,
      ),
    );
    [...list.children].forEach((line, i) => {
      if (i + 1 === at) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
    keepingFocus(acts, () => show(acts, about(), players(message)));
    show(facts, board.panels(message));
    show(
      thoughts,
      h("div", { className: "row" }, analysts, h("button", { type: "button", onclick: think }, t("replay.think"))),
      analysis ? analysisPanel(drawn, board, analysis, true) : null,
    );
    const line = /** @type {HTMLElement|undefined} */ (list.children[Math.max(0, at - 1)]);
    const scrolled = list.parentElement;
    if (line && scrolled) scrolled.scrollTop = line.offsetTop - list.offsetTop - scrolled.clientHeight / 2;
  }
  /** All moves in words, with the positions around each. */
  function tellAll() {
    told = game.positions.slice(1).map((/** @type {any} */ p, /** @type {number} */ i) => {
      const sentence = board.tell?.({ number: i, ...p.move }, game.positions[i].view, p.view);
      return sentence || `${served(game.seat_names[p.move.seat])}: ${p.move.text}.`;
    });
    show(
      list,
      told.map((sentence, i) => {
        const dot = h("span", {
          className: "dot",
          style: { background: dotColour(drawn, game.positions[i + 1].move.seat) },
        });
        return h("li", {}, dot, h("button", { type: "button", onclick: () => step(i + 1) }, sentence));
      }),
    );
  }
  function about() {
    const names = game.agents.map(
      (/** @type {string} */ name, /** @type {number} */ i) => `${served(game.side_names[i])}: ${name}`,
    );
    return h(
      "section",
      { className: "panel" },
      h("h3", { className: "spec" }, game.spec),
      h("p", { className: "small soft" }, names.join(" · ")),
      slider,
      h("label", {}, t("replay.show"), eyes),
    );
  }
  /** @param {any} message */
  function players(message) {
    const line = (/** @type {any} */ seat) =>
      h(
        "div",
        { className: "seat" },
        h("span", { className: "dot", style: { background: dotColour(drawn, seat.seat) } }),
        h("strong", { className: "who" }, served(seat.name)),
        h("span", { className: "wallet" }, board.wallet(message.view, seat.seat)),
      );
    return h(
      "section",
      { className: "panel players" },
      h("h3", {}, t("table.players")),
      h("div", { className: "seats" }, message.seats.map(line)),
    );
  }
  function keepPlace() {
    if (id) window.history.replaceState(null, "", `/replay/${id}#${at}`);
  }
  async function think() {
    const asked = at;
    const found = await api.analysis(record, at, analyst).catch((e) => {
      toast(e.message);
      return null;
    });
    if (!found || asked !== at) return;
    analysis = found;
    render();
    if (found.exact?.solving)
      setTimeout(() => {
        if (asked === at && analysis === found) think();
      }, 3000);
  }
  function run() {
    if (timer) {
      clearInterval(timer);
      timer = 0;
      render();
      return;
    }
    timer = window.setInterval(() => {
      if (at >= game.positions.length - 1) run();
      else step(at + 1);
    }, PACES[pace()] + 150);
    render();
  }
  const keys = (/** @type {KeyboardEvent} */ e) => {
    if (/INPUT|SELECT/.test(/** @type {Element} */ (e.target).tagName)) return;
    if (/** @type {Element} */ (e.target).closest("[role=tablist], .popover")) return;
    if (e.key === "ArrowRight") step(at + 1);
    if (e.key === "ArrowLeft") step(at - 1);
    if (e.key === "Home") step(0);
    if (e.key === "End") step(game.positions.length - 1);
  };
  document.addEventListener("keydown", keys);
  tellAll();
  step(start);
  return () => {
    delete document.documentElement.dataset.screen;
    clearInterval(timer);
    document.removeEventListener("keydown", keys);
  };
}
