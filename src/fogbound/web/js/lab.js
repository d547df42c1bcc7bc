// The lab in the browser: a tournament's standings and who beat whom, or a training's curves, as they come.
// @ts-check
import { api } from "./api.js";
import { lines, share } from "./chart.js";
import { h, show } from "./dom.js";
import { go } from "./main.js";
import { bar } from "./progress.js";
import { number, t } from "./texts.js";

const EVERY = 3000; // milliseconds

/** @param {HTMLElement} page @param {string} id A game to see, as “seating-number”; otherwise all of it is shown. */
export async function open(page, id) {
  if (id) return watch(page, id);
  let seen = "";
  async function refresh() {
    const found = await api.lab();
    const text = JSON.stringify(found);
    if (text === seen) return;
    seen = text;
    show(page, found.kind === "tournament" ? tournament(found) : training(found));
  }
  await refresh();
  const timer = setInterval(() => refresh().catch(() => {}), EVERY);
  return () => clearInterval(timer);
}

/** One game of a seating; the way back leads to the table. @param {HTMLElement} page @param {string} id */
async function watch(page, id) {
  const [seating, game] = id.split("-").map(Number);
  return (await import("./replay.js")).view(page, await api.labRecord(seating, game));
}

/** The number of some game; the server counts around. */
function anyGame() {
  return Math.floor(Math.random() * 1000);
}

/** A share in percent. @param {number | null} value */
function percent(value) {
  return value === null ? "" : number(value, { style: "percent", maximumFractionDigits: 1 });
}

/** @param {any} found */
function tournament(found) {
  const names = found.standings.map((/** @type {any} */ row) => row.player);
  return h(
    "div",
    { className: "review" },
    h("h1", {}, found.name || t("lab.title")),
    bar(t("lab.games", { done: number(found.games), planned: number(found.planned) }), found.games, found.planned),
    h(
      "section",
      { className: "panel" },
      h("h2", {}, t("lab.standings")),
      h(
        "table",
        { className: "standings" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["", t("lab.player"), t("lab.points"), "", "Elo"].map((text) => h("th", {}, text)),
          ),
        ),
        h(
          "tbody",
          {},
          found.standings.map((/** @type {any} */ row, /** @type {number} */ place) =>
            h(
              "tr",
              {},
              h("td", {}, place + 1),
              h("th", { scope: "row" }, row.player),
              h("td", {}, percent(row.share)),
              h("td", {}, row.games ? share(row.share, row.games, percent(row.share)) : null),
              h("td", {}, `${Math.round(row.elo)} (${Math.round(row["elo low"])} – ${Math.round(row["elo high"])})`),
            ),
          ),
        ),
      ),
    ),
    h(
      "section",
      { className: "panel" },
      h("h2", {}, t("lab.cross")),
      h("p", { className: "soft small" }, t("lab.cross.about")),
      h("div", { className: "wide" }, crossTable(found, names)),
    ),
  );
}

/** @param {any} found @param {string[]} names */
function crossTable(found, names) {
  const cell = (/** @type {string} */ a, /** @type {string} */ b) => {
    const one = found.cells.find((/** @type {any} */ each) => each.player === a && each.against === b);
    if (!one) return h("td", {}, a === b ? "–" : "");
    const met = found.meetings.find(
      (/** @type {any} */ each) => each.games && each.player === a && each.players.split(" / ").includes(b),
    );
    const label = t("lab.against", { a, b, percent: Math.round(one.share * 100), n: one.games });
    const shade = { "--share": String(one.share) };
    return h(
      "td",
      { className: "cell", style: shade },
      h(
        "button",
        {
          type: "button",
          title: label,
          "aria-label": label,
          onclick: () => met && go(`/lab/${met.seating}-${anyGame()}`),
        },
        percent(one.share),
      ),
    );
  };
  return h(
    "table",
    { className: "cross" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        names.map((name) => h("th", { scope: "col" }, name)),
      ),
    ),
    h(
      "tbody",
      {},
      names.map((a) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, a),
          names.map((b) => cell(a, b)),
        ),
      ),
    ),
  );
}

/** Each figure on a scale of its own; rates of the trials against each opponent. @param {any} found */
function training(found) {
  const figures = Object.keys(found.curve[0] || {}).filter((name) => name !== "done" && name !== "seconds");
  const last = found.curve.length ? found.curve[found.curve.length - 1].done : 0;
  const opponents = [...new Set(found.trials.map((/** @type {any} */ row) => row.opponent))];
  const trials = opponents.map((opponent, i) => ({
    name: String(opponent),
    colour: `var(--p${i % 6})`,
    points: found.trials
      .filter((/** @type {any} */ row) => row.opponent === opponent)
      .map((/** @type {any} */ row) => ({ x: row.done, y: row.rate })),
  }));
  return h(
    "div",
    { className: "review" },
    h("h1", {}, found.name),
    trials.length
      ? h(
          "section",
          { className: "panel" },
          h("h2", {}, t("lab.trials")),
          lines(trials, last, t("lab.trials"), () => {}, []),
          h(
            "p",
            { className: "small legend" },
            trials.map((line) =>
              h("span", {}, h("span", { className: "dot", style: { background: line.colour } }), ` ${line.name} `),
            ),
          ),
        )
      : null,
    figures.map((name) => {
      const values = found.curve.map((/** @type {any} */ row) => row[name]).filter(Number.isFinite);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const scaled = (/** @type {number} */ value) => (high > low ? (value - low) / (high - low) : 0.5);
      const points = found.curve
        .filter((/** @type {any} */ row) => Number.isFinite(row[name]))
        .map((/** @type {any} */ row) => ({ x: row.done, y: scaled(row[name]) }));
      const label = t("lab.curve", { name });
      return h(
        "section",
        { className: "panel" },
        h("h2", {}, `${name}: ${number(low)} – ${number(high)}`),
        lines([{ name, colour: "var(--accent)", points }], last, label, () => {}, []),
      );
    }),
  );
}
