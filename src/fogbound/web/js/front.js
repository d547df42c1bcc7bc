// The front page: the games, "play now", and a table made to measure.
// @ts-check
import { api, tokens } from "./api.js";
import { dialog, h, s, show, toast } from "./dom.js";
import { go } from "./main.js";
import { nickname, setNickname } from "./names.js";
import { openHelp } from "./help.js";

/** What "play now" means for each game: board, my side, everybody else. */
const QUICK = /** @type {Record<string, {game: string, side: number, say: string}>} */ ({
  "scotland-yard": { game: "scotland-yard/plan1", side: 1, say: "You lead three detectives. Find Mr X before the twelfth round is over." },
  risk: { game: "risk/classic:players=3,deal=true,starting_armies=20", side: 0, say: "Three armies, one world. Your army is red." },
  empire: { game: "empire/side-a:players=2", side: 0, say: "Thirteen cards to build an empire in." },
});
const COUNT_OPTION = /** @type {Record<string, {name: string, title: string, from: number, to: number}>} */ ({
  "scotland-yard": { name: "detectives", title: "Detectives", from: 1, to: 5 },
  risk: { name: "players", title: "Players", from: 2, to: 6 },
  empire: { name: "players", title: "Players", from: 2, to: 5 },
});

/** @param {HTMLElement} page */
export async function open(page) {
  const order = Object.keys(QUICK);
  const games = (await api.games()).sort((/** @type {any} */ a, /** @type {any} */ b) => order.indexOf(a.name) - order.indexOf(b.name));
  show(
    page,
    h("section", { className: "hero" }, h("h1", {}, "Games in the fog"), h("p", { className: "soft" }, "Hidden moves, secret hands, dice. Play at once, alone or with friends by a link.")),
    h("section", { className: "games", "aria-label": "Games" }, games.map((/** @type {any} */ game) => card(game))),
  );
  const going = h("section", { className: "going", "aria-label": "Your games", hidden: true });
  page.append(going);
  const mine = (await Promise.all(tokens.recent().slice(0, 6).map((id) => api.table(id).catch(() => null)))).filter((t) => t && t.phase !== "over");
  if (mine.length) {
    going.hidden = false;
    show(going, h("h2", {}, "Your games"), h("div", { className: "row" }, mine.map((t) => h("a", { className: "button row", "data-route": true, href: `/table/${t.id}` }, h("span", { className: "thumb" }, picture(t.family)), h("span", {}, h("strong", {}, "Go on"), h("span", { className: "soft small" }, ` ${t.spec.split(":")[0]}, ${t.phase === "waiting" ? "waiting" : `move ${t.moves}`}`))))));
  }
  return () => {};
}

/** @param {any} game */
function card(game) {
  const quick = QUICK[game.name];
  return h(
    "article",
    { className: "panel game-card" },
    picture(game.name),
    h(
      "div",
      { className: "body" },
      h("h2", {}, game.title),
      h("p", {}, quick ? quick.say : game.about),
      h(
        "div",
        { className: "row" },
        h("button", { className: "primary", type: "button", onclick: (/** @type {Event} */ e) => playNow(game, e) }, "Play now"),
        h("button", { type: "button", onclick: () => setUp(game) }, "Choose ..."),
        h("button", { className: "quiet", type: "button", onclick: () => openHelp(game.name) }, "Rules"),
      ),
    ),
  );
}

/** @param {any} game @param {Event} event */
async function playNow(game, event) {
  const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
  button.disabled = true;
  try {
    const quick = QUICK[game.name] || { game: `${game.name}/${game.default_board}`, side: 0 };
    const board = await api.board(quick.game);
    const level = bestDefault(board.levels);
    const seats = board.side_of.map((/** @type {number} */ side) => (side === quick.side ? { kind: "me" } : { kind: "agent", level }));
    go(`/table/${await api.newTable({ game: quick.game, seats, nickname: nickname() })}`);
  } catch (error) {
    toast(String(/** @type {Error} */ (error).message));
    button.disabled = false;
  }
}

/** @param {any[]} levels */
function bestDefault(levels) {
  return (levels.find((level) => level.name === "steady") || levels[levels.length - 1]).name;
}

/** The dialog in which a table is made to measure. @param {any} game */
function setUp(game) {
  const count = COUNT_OPTION[game.name];
  const board = h("select", { onchange: refresh }, game.boards.filter((/** @type {any} */ b) => b.name !== "gridN").map((/** @type {any} */ b) => h("option", { value: b.name }, `${b.name}: ${b.about}`)));
  if (game.name === "scotland-yard") for (const n of [4, 5, 6, 8]) board.append(h("option", { value: `grid${n}` }, `grid${n}: ${n} x ${n} grid`));
  board.value = (QUICK[game.name]?.game || "").split("/")[1]?.split(":")[0] || game.default_board;
  const players = h("select", { onchange: refresh }, h("option", { value: "" }, "as usual on this board"), count ? range(count.from, count.to).map((n) => h("option", { value: n }, n)) : []);
  const more = h("input", { placeholder: "rule options, e.g. rounds=10,show_start=true", onchange: refresh });
  const name = h("input", { value: nickname(), maxlength: 24 });
  const clock = h("select", {}, h("option", { value: "none" }, "no clock"), ["move:30", "move:60", "game:300", "game:900"].map((c) => h("option", { value: c }, clockText(c))));
  const open = h("input", { type: "checkbox" });
  const seats = h("div", { className: "seat-list" });
  /** @type {any} */
  let info = null;

  async function refresh() {
    const asked = spec();
    try {
      const found = await api.board(asked);
      if (asked !== spec()) return; // something else was chosen meanwhile
      const before = info && info.side_names.length === found.side_names.length ? chosen() : [];
      info = found;
      show(seats, info.side_names.map((/** @type {string} */ side, /** @type {number} */ i) => sideLine(side, i, info.levels, before[i])));
    } catch (error) {
      info = null;
      show(seats, h("p", { className: "small" }, String(/** @type {Error} */ (error).message)));
    }
  }
  function spec() {
    const options = [players.value && count ? `${count.name}=${players.value}` : "", more.value.trim()].filter(Boolean).join(",");
    return `${game.name}/${board.value}${options ? `:${options}` : ""}`;
  }
  function chosen() {
    return [...seats.querySelectorAll("select")].map((select) => select.value);
  }
  /** @param {string} side @param {number} i @param {any[]} levels @param {string} [before] */
  function sideLine(side, i, levels, before) {
    const usual = i === (QUICK[game.name]?.side ?? 0) ? "me" : `agent:${bestDefault(levels)}`;
    const select = h("select", { "data-side": i, "aria-label": `Who plays ${side}` }, h("option", { value: "me" }, "me"), h("option", { value: "open" }, "a friend, by link"), levels.map((l) => h("option", { value: `agent:${l.name}` }, `${l.title}: ${l.about}`)));
    select.value = before || usual;
    return h("div", { className: "seat-line" }, h("span", {}, side), select);
  }
  async function create() {
    if (!info) return;
    setNickname(name.value.trim() || "You");
    const wish = chosen();
    const mine = wish.filter((w) => w === "me").length;
    const [kind, seconds] = clock.value.split(":");
    try {
      const id = await api.newTable({
        game: spec(),
        seats: info.side_of.map((/** @type {number} */ side) => (wish[side].startsWith("agent:") ? { kind: "agent", level: wish[side].slice(6) } : { kind: wish[side] })),
        nickname: nickname(),
        public: open.checked,
        hotseat: mine > 1,
        clock: { kind, seconds: seconds ? Number(seconds) : null },
      });
      box.close();
      go(`/table/${id}`);
    } catch (error) {
      toast(String(/** @type {Error} */ (error).message));
    }
  }
  const box = dialog(
    h("h2", {}, game.title),
    h("div", { className: "fields" }, field("Board", board), count && field(count.title, players), field("Your name", name), field("Clock", clock), field("More rules", more)),
    h("h3", {}, "Who plays"),
    seats,
    h("label", { className: "row" }, open, " show this table in the public lobby"),
    h("div", { className: "actions" }, h("button", { type: "button", onclick: () => box.close() }, "Cancel"), h("button", { className: "primary", type: "button", onclick: create }, "Start")),
  );
  refresh();
}

/** A control with its name, for eyes and for screen readers. @param {string} name @param {HTMLElement} control */
function field(name, control) {
  control.setAttribute("aria-label", name);
  return h("label", {}, name, control);
}

/** @param {string} clock */
function clockText(clock) {
  const [kind, seconds] = clock.split(":");
  return kind === "move" ? `${seconds} seconds a move` : `${Number(seconds) / 60} minutes a game`;
}

/** @param {number} from @param {number} to */
function range(from, to) {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** A small drawing for each game, our own. @param {string} name */
export function picture(name) {
  const paint = /** @type {Record<string, () => any[]>} */ ({ "scotland-yard": paintYard, risk: paintRisk, empire: paintEmpire })[name];
  return s("svg", { viewBox: "0 0 320 190", role: "img", "aria-label": `A drawing for ${name}`, preserveAspectRatio: "xMidYMid slice" }, paint ? paint() : []);
}

function paintYard() {
  const points = [[40, 50], [100, 30], [165, 60], [235, 35], [285, 80], [60, 120], [125, 105], [190, 125], [250, 150], [95, 160], [160, 165]];
  const lines = [[0, 1, "taxi"], [1, 2, "taxi"], [2, 3, "taxi"], [3, 4, "taxi"], [0, 5, "taxi"], [5, 6, "taxi"], [6, 2, "bus"], [6, 7, "taxi"], [7, 8, "taxi"], [8, 4, "taxi"], [5, 9, "taxi"], [9, 10, "taxi"], [10, 7, "taxi"], [1, 6, "underground"], [3, 8, "bus"], [0, 9, "bus"], [7, 3, "underground"]];
  return [
    lines.map(([a, b, t]) => s("line", { x1: points[+a][0], y1: points[+a][1], x2: points[+b][0], y2: points[+b][1], stroke: `var(--${t})`, "stroke-width": t === "taxi" ? 2.5 : 5, opacity: 0.75 })),
    points.map(([x, y]) => s("circle", { cx: x, cy: y, r: 8, fill: "var(--panel)", stroke: "var(--soft)" })),
    [[1, 1], [5, 2], [8, 4]].map(([p, c]) => s("circle", { cx: points[p][0], cy: points[p][1], r: 9, fill: `var(--p${c})` })),
    s("circle", { cx: points[7][0], cy: points[7][1], r: 26, fill: "var(--fog)", opacity: 0.25 }),
    s("text", { x: points[7][0], y: points[7][1] + 6, "text-anchor": "middle", "font-size": 19, "font-weight": 800, fill: "var(--text)" }, "?"),
    fog(),
  ];
}

function paintRisk() {
  const lands = ["M18 66Q22 34 58 30Q92 22 118 44Q124 70 106 92Q82 96 58 112Q26 98 18 66Z", "M118 44Q146 26 172 36Q196 52 190 78Q172 96 152 106Q128 100 106 92Q124 70 118 44Z", "M58 112Q82 96 106 92Q128 100 152 106Q150 134 136 154Q108 168 82 158Q62 140 58 112Z", "M204 58Q226 26 254 30Q290 36 302 62Q298 92 280 104Q254 116 232 108Q206 92 204 58Z", "M232 108Q254 116 280 104Q304 124 298 150Q276 172 246 168Q214 160 208 138Q214 120 232 108Z"];
  const who = [0, 0, 1, 2, 3];
  const armies = [7, 3, 4, 9, 2];
  const centre = [[66, 68], [146, 70], [106, 128], [254, 68], [254, 138]];
  return [
    s("rect", { width: 320, height: 190, fill: "var(--sea)" }),
    s("path", { d: "M190 70L208 66M150 140L210 142", className: "sea-line", fill: "none" }),
    lands.map((d, i) => s("path", { d, fill: `color-mix(in srgb, var(--p${who[i]}) 62%, var(--land))`, stroke: "var(--board)", "stroke-width": 2.5 })),
    centre.map(([x, y], i) => s("g", { className: "army", style: { "--owner": `var(--p${who[i]})` }, transform: `translate(${x} ${y})` }, s("circle", { r: 15, "stroke-width": 2 }), s("text", { className: "count", "font-size": 16 }, armies[i]))),
    [[168, 118, [[0, 0], [-5, -5], [5, 5]], -12], [186, 146, [[-5, -5], [5, 5], [-5, 5], [5, -5], [0, 0]], 14]].map(([x, y, dots, turn]) => s("g", { transform: `translate(${x} ${y}) rotate(${turn})` }, s("rect", { x: -10, y: -10, width: 20, height: 20, rx: 5, fill: "#c8433b" }), /** @type {number[][]} */ (/** @type {unknown} */ (dots)).map(([cx, cy]) => s("circle", { cx, cy, r: 1.9, fill: "#fff" })))),
    fog(),
  ];
}

function paintEmpire() {
  const tiles = [[70, 40, 1], [110, 40, 1], [70, 80, 1], [190, 40, 2], [230, 40, 2], [230, 80, 2], [130, 110, 0], [170, 110, 0], [210, 120, 0]];
  return [
    s("rect", { width: 320, height: 190, fill: "var(--sea)" }),
    tiles.map(([x, y]) => s("rect", { x, y, width: 36, height: 36, rx: 9, fill: "var(--land)", stroke: "var(--line)" })),
    tiles.map(([x, y, c], i) => (i % 2 ? s("circle", { cx: x + 18, cy: y + 18, r: 8, fill: `var(--p${c})` }) : s("path", { d: `M${x + 9} ${y + 27} v-12 l9 -7 l9 7 v12 z`, fill: `var(--p${c})` }))),
    [0, 1, 2, 3].map((i) => s("rect", { x: 60 + i * 54, y: 158, width: 44, height: 54, rx: 6, fill: "var(--panel)", stroke: "var(--accent)" })),
    fog(),
  ];
}

function fog() {
  return [
    s("ellipse", { cx: 60, cy: 188, rx: 150, ry: 26, fill: "var(--fog)", opacity: 0.16 }),
    s("ellipse", { cx: 260, cy: 182, rx: 120, ry: 22, fill: "var(--fog)", opacity: 0.14 }),
  ];
}
