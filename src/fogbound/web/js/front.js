// The front page: the games, "play now", and a table made to measure.
// @ts-check
import { api, tokens } from "./api.js";
import { dialog, h, show, toast } from "./dom.js";
import { loadGame, picture } from "./game-module.js";
import { go } from "./main.js";
import { nickname, setNickname } from "./names.js";
import { openHelp } from "./help.js";

/** @typedef {import("./game-module.js").Game} Game */

/** @param {HTMLElement} page */
export async function open(page) {
  const games = await Promise.all((await api.games()).map((/** @type {any} */ info) => loadGame(info.name)));
  show(
    page,
    h(
      "section",
      { className: "hero" },
      h("h1", {}, "Games in the fog"),
      h("p", { className: "soft" }, "Hidden moves, secret hands, dice. Play at once, alone or with friends by a link."),
    ),
    h("section", { className: "games", "aria-label": "Games" }, games.map(card)),
  );
  const going = h("section", { className: "going", "aria-label": "Your games", hidden: true });
  page.append(going);
  const mine = (
    await Promise.all(
      tokens
        .recent()
        .slice(0, 6)
        .map((id) => api.table(id).catch(() => null)),
    )
  ).filter((t) => t && t.phase !== "over");
  const pictures = new Map(games.map((game) => [game.info.name, game]));
  if (mine.length) {
    going.hidden = false;
    show(
      going,
      h("h2", {}, "Your games"),
      h(
        "div",
        { className: "row" },
        mine.map((t) =>
          h(
            "a",
            { className: "button row", "data-route": true, href: `/table/${t.id}` },
            h("span", { className: "thumb" }, picture(/** @type {Game} */ (pictures.get(t.family)))),
            h(
              "span",
              {},
              h("strong", {}, "Go on"),
              h(
                "span",
                { className: "soft small" },
                ` ${t.spec.split(":")[0]}, ${t.phase === "waiting" ? "waiting" : `move ${t.moves}`}`,
              ),
            ),
          ),
        ),
      ),
    );
  }
  return () => {};
}

/** @param {Game} game */
function card(game) {
  return h(
    "article",
    { className: "panel game-card" },
    picture(game),
    h(
      "div",
      { className: "body" },
      h("h2", {}, game.info.title),
      h("p", {}, game.info.quick_start.about),
      h(
        "div",
        { className: "row" },
        h(
          "button",
          { className: "primary", type: "button", onclick: (/** @type {Event} */ e) => playNow(game, e) },
          "Play now",
        ),
        h("button", { type: "button", onclick: () => setUp(game) }, "Choose ..."),
        h("button", { className: "quiet", type: "button", onclick: () => openHelp(game) }, "Rules"),
      ),
    ),
  );
}

/** @param {Game} game @param {Event} event */
async function playNow(game, event) {
  const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
  button.disabled = true;
  try {
    const quick = game.info.quick_start;
    const board = await api.board(quick.game);
    const level = board.default_level;
    const seats = board.side_of.map((/** @type {number} */ side) =>
      side === quick.side ? { kind: "me" } : { kind: "agent", level },
    );
    go(`/table/${await api.newTable({ game: quick.game, seats, nickname: nickname() })}`);
  } catch (error) {
    toast(String(/** @type {Error} */ (error).message));
    button.disabled = false;
  }
}

/** The dialog in which a table is made to measure. @param {Game} game */
function setUp(game) {
  const { name: family, title, count, quick_start: quick, boards, options } = game.info;
  const listed = game.boards ? game.boards(boards) : boards;
  const board = h(
    "select",
    { onchange: refresh },
    listed.map((b) => h("option", { value: b.name }, `${b.name}: ${b.about}`)),
  );
  board.value = quick.game.split("/")[1]?.split(":")[0] || game.info.default_board;
  const players = h(
    "select",
    { onchange: refresh },
    h("option", { value: "" }, "as usual on this board"),
    count ? range(count.least, count.most).map((n) => h("option", { value: n }, n)) : [],
  );
  const known = options.map((option) => option.name);
  const more = h("input", {
    placeholder: known.map((name) => `${name}=...`).join(", "),
    title: known.join(", "),
    onchange: refresh,
  });
  const name = h("input", { value: nickname(), maxlength: 24 });
  const clock = h(
    "select",
    {},
    h("option", { value: "none" }, "no clock"),
    ["move:30", "move:60", "game:300", "game:900"].map((c) => h("option", { value: c }, clockText(c))),
  );
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
      show(
        seats,
        info.side_names.map((/** @type {string} */ side, /** @type {number} */ i) => sideLine(side, i, before[i])),
      );
    } catch (error) {
      info = null;
      show(seats, h("p", { className: "small" }, String(/** @type {Error} */ (error).message)));
    }
  }
  function spec() {
    const options = [players.value && count ? `${count.name}=${players.value}` : "", more.value.trim()]
      .filter(Boolean)
      .join(",");
    return `${family}/${board.value}${options ? `:${options}` : ""}`;
  }
  function chosen() {
    return [...seats.querySelectorAll("select")].map((select) => select.value);
  }
  /** @param {string} side @param {number} i @param {string} [before] */
  function sideLine(side, i, before) {
    const usual = i === quick.side ? "me" : `agent:${info.default_level}`;
    const select = h(
      "select",
      { "data-side": i, "aria-label": `Who plays ${side}` },
      h("option", { value: "me" }, "me"),
      h("option", { value: "open" }, "a friend, by link"),
      info.levels.map((/** @type {any} */ l) => h("option", { value: `agent:${l.name}` }, levelText(l))),
    );
    select.value = before || usual;
    return h("div", { className: "seat-line" }, h("span", {}, side), select);
  }
  /** A level with its rating, if it has one on this board, and what it is. @param {any} level */
  function levelText(level) {
    const rating = level.rating === null ? "" : ` (${level.rating})`;
    return `${level.title}${rating}: ${level.about}`;
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
        seats: info.side_of.map((/** @type {number} */ side) =>
          wish[side].startsWith("agent:") ? { kind: "agent", level: wish[side].slice(6) } : { kind: wish[side] },
        ),
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
    h("h2", {}, title),
    h(
      "div",
      { className: "fields" },
      field("Board", board),
      count && field(count.title, players),
      field("Your name", name),
      field("Clock", clock),
      known.length ? field("More rules", more) : null,
    ),
    h("h3", {}, "Who plays"),
    seats,
    h("label", { className: "row" }, open, " show this table in the public lobby"),
    h(
      "div",
      { className: "actions" },
      h("button", { type: "button", onclick: () => box.close() }, "Cancel"),
      h("button", { className: "primary", type: "button", onclick: create }, "Start"),
    ),
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
