// Looking at a finished game, step by step: all revealed or with one seat's eyes.
// @ts-check
import { analysisPanel } from "./analysis.js";
import { api } from "./api.js";
import { h, seatColour, show, toast } from "./dom.js";
import { dotColour, loadGame } from "./game-module.js";

/** @param {HTMLElement} page @param {string|null} id */
export async function open(page, id) {
  if (id) return view(page, await api.record(id), id, Number(location.hash.slice(1)) || 0);
  const input = h("input", {
    type: "file",
    accept: ".json,application/json",
    "aria-label": "A saved game",
    onchange: async () => {
      try {
        const record = JSON.parse(await input.files[0].text());
        closer = await view(page, record);
      } catch (error) {
        toast(
          error instanceof SyntaxError
            ? "This file is not a saved game."
            : String(/** @type {Error} */ (error).message),
        );
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
      h("h1", {}, "Open a saved game"),
      h("p", { className: "soft" }, "Choose a record that you downloaded here or saved in the terminal."),
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
  let timer = 0;
  document.documentElement.dataset.family = game.family;
  const area = h("div", { className: "panel board-area" });
  const drawn = await loadGame(game.family);
  const board = new drawn.Board(area, game, () => {});
  const status = h("div", { className: "panel status", role: "status" });
  const side = h("div", { className: "side" });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: game.positions.length - 1,
    value: 0,
    "aria-label": "Position",
    oninput: () => step(Number(slider.value)),
  });
  const eyes = h(
    "select",
    {
      "aria-label": "Whose eyes",
      onchange: async () => {
        seat = eyes.value === "all" ? null : Number(eyes.value);
        game = await api.replay(record, seat);
        step(at);
      },
    },
    h("option", { value: "all" }, "all revealed"),
    game.seat_names.map((/** @type {string} */ name, /** @type {number} */ i) =>
      h("option", { value: i }, `with the eyes of ${name}`),
    ),
    h("option", { value: -1 }, "as a spectator"),
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
      to_move: position.to_move,
      legal: [],
      history: history(),
      mine: [],
      seats: game.seat_names.map((/** @type {string} */ name, /** @type {number} */ i) => ({ name, seat: i })),
      version: at,
    };
    board.setBelief(analysis ? analysis.belief : null);
    board.update(message);
    const text = position.move
      ? `Move ${at}: ${game.seat_names[position.move.seat]}, ${position.move.text}`
      : "The start";
    show(
      status,
      h("strong", {}, at === game.positions.length - 1 && game.outcome ? `${text}. ${game.outcome}.` : text),
      h(
        "div",
        { className: "row" },
        button("⏮", "To the start", () => step(0)),
        button("◀", "Back", () => step(at - 1)),
        button(timer ? "⏸" : "▶▶", timer ? "Stop" : "Play", run),
        button("▶", "Forward", () => step(at + 1)),
        button("⏭", "To the end", () => step(game.positions.length - 1)),
        id ? h("button", { type: "button", onclick: share }, "Share this position") : null,
      ),
    );
    const list = h(
      "ol",
      { className: "log", "aria-label": "Moves" },
      game.positions.slice(1).map((/** @type {any} */ p, /** @type {number} */ i) =>
        h(
          "li",
          {
            style: { cursor: "pointer", background: i + 1 === at ? "var(--raised)" : "" },
            onclick: () => step(i + 1),
          },
          h("span", { className: "n" }, i + 1),
          h("span", { style: { color: seatColour(p.move.seat) } }, game.seat_names[p.move.seat]),
          h("span", {}, p.move.text),
        ),
      ),
    );
    show(
      side,
      h(
        "section",
        { className: "panel" },
        h("h3", {}, game.spec),
        h(
          "p",
          { className: "small soft" },
          game.agents
            .map((/** @type {string} */ name, /** @type {number} */ i) => `${game.side_names[i]}: ${name}`)
            .join(" · "),
        ),
        slider,
        h("label", { style: { "margin-top": ".5rem" } }, "Show", eyes),
      ),
      board.panels(message),
      h(
        "section",
        { className: "panel" },
        h("h3", {}, "Players"),
        h(
          "div",
          { className: "seats" },
          message.seats.map((/** @type {any} */ s) =>
            h(
              "div",
              { className: "seat" },
              h("span", { className: "dot", style: { background: dotColour(drawn, s.seat) } }),
              h("strong", {}, s.name),
              h("span", {}),
              h("div", { className: "wallet" }, board.wallet(position.view, s.seat)),
            ),
          ),
        ),
      ),
      h(
        "section",
        { className: "panel" },
        h("button", { type: "button", onclick: think }, "What does the computer think here?"),
      ),
      analysis ? analysisPanel(drawn, analysis, true) : null,
      h("section", { className: "panel" }, h("h3", {}, "Moves"), list),
    );
    const line = /** @type {HTMLElement|undefined} */ (list.children[Math.max(0, at - 1)]);
    if (line) list.scrollTop = line.offsetTop - list.offsetTop - list.clientHeight / 2; // not the page, only the list
  }
  async function share() {
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    toast(`Copied: ${location.href}`, "good");
  }
  function keepPlace() {
    if (id) window.history.replaceState(null, "", `/replay/${id}#${at}`);
  }
  async function think() {
    const asked = at;
    const found = await api.analysis(record, at).catch((e) => {
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
    }, 700);
    render();
  }
  const keys = (/** @type {KeyboardEvent} */ e) => {
    if (/INPUT|SELECT/.test(/** @type {Element} */ (e.target).tagName)) return;
    if (e.key === "ArrowRight") step(at + 1);
    if (e.key === "ArrowLeft") step(at - 1);
    if (e.key === "Home") step(0);
    if (e.key === "End") step(game.positions.length - 1);
  };
  document.addEventListener("keydown", keys);
  step(start);
  return () => {
    clearInterval(timer);
    document.removeEventListener("keydown", keys);
  };
}

/** @param {string} sign @param {string} label @param {() => void} act */
function button(sign, label, act) {
  return h("button", { type: "button", "aria-label": label, title: label, onclick: act }, sign);
}
