// The page finds its way by the address: front page, lobby, tables, replays.
// @ts-check
import { api, tokens } from "./api.js";
import { addStyles, show, h, toast } from "./dom.js";
import { LANGUAGES, chooseLanguage, currentLanguage, loadTexts, t } from "./texts.js";

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {null | (() => void)} */
let leave = null;

/** Rooms that are fetched when somebody goes there.
 * @type {Record<string, () => Promise<{open: (page: HTMLElement, id: string) => Promise<() => void>}>>} */
const OTHERS = {
  new: () => import("./setup.js"),
  games: () => import("./mygames.js"),
  review: () => import("./review.js"),
  puzzles: () => import("./puzzles.js"),
  editor: () => import("./editor.js"),
  learn: () => import("./learn.js"),
  lab: () => import("./lab.js"),
  series: () => import("./series.js"),
};

async function frontPage() {
  await addStyles("/screens.css");
  return (await import("./front.js")).open(page);
}

/** @param {string} path */
export function go(path) {
  history.pushState(null, "", path);
  route();
}

async function route() {
  leave?.();
  leave = null;
  const [, room, id] = location.pathname.split("/");
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.getAttribute("href") === `/${room || ""}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    if (OTHERS[room]) await addStyles("/screens.css");
    if (OTHERS[room]) leave = await (await OTHERS[room]()).open(page, id || "");
    else if (room === "table" && id) leave = await (await import("./table.js")).open(page, id);
    else if (room === "lobby") leave = await (await import("./lobby.js")).open(page);
    else if (room === "replay") leave = await (await import("./replay.js")).open(page, id || null);
    else leave = await frontPage();
  } catch (error) {
    show(
      page,
      h(
        "div",
        { className: "panel" },
        h("h2", {}, t("wrong.title")),
        h("p", {}, String(/** @type {Error} */ (error).message)),
        h("a", { href: "/", className: "button", "data-route": true }, t("wrong.home")),
      ),
    );
  }
}

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest?.("a[data-route]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute("href") || "/");
});
window.addEventListener("popstate", route);

/** The shell's own words, which stand in the page before any script runs. */
function translateShell() {
  for (const element of document.querySelectorAll("[data-text]"))
    element.textContent = t(/** @type {string} */ (element.getAttribute("data-text")));
  const chooser = /** @type {HTMLSelectElement} */ (document.getElementById("language"));
  chooser.setAttribute("aria-label", t("nav.language"));
  show(
    chooser,
    Object.entries(LANGUAGES).map(([name, title]) => h("option", { value: name }, title)),
  );
  chooser.value = currentLanguage();
  chooser.addEventListener("change", () => chooseLanguage(chooser.value));
}

const themes = ["auto", "dark", "light"];
document.getElementById("theme")?.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme || "auto";
  const next = themes[(themes.indexOf(now) + 1) % themes.length];
  document.documentElement.dataset.theme = next;
  localStorage.setItem("fogbound:theme", next);
  /** @type {HTMLElement} */ (document.getElementById("theme")).textContent = t(`nav.theme.${next}`);
});
const motion = /** @type {HTMLElement} */ (document.getElementById("motion"));
/** @param {boolean} off */
function setMotion(off) {
  document.documentElement.dataset.motion = off ? "off" : "on";
  motion.setAttribute("aria-pressed", String(!off));
  localStorage.setItem("fogbound:motion", off ? "off" : "on");
}
motion.addEventListener("click", () => setMotion(document.documentElement.dataset.motion !== "off"));
setMotion(localStorage.getItem("fogbound:motion") === "off");

/** The command line hands over a seat or a record by a ticket behind the #; it leaves the address at once. */
async function start() {
  await loadTexts();
  translateShell();
  const ticket = location.hash.startsWith("#ticket=") ? location.hash.slice(8) : null;
  if (ticket) {
    history.replaceState(null, "", location.pathname);
    const found = await api.prepared(ticket).catch((e) => {
      toast(e.message);
      return {};
    });
    if (found.table) {
      tokens.set(found.table, found.token);
      history.replaceState(null, "", `/table/${found.table}`);
    }
    if (found.page) history.replaceState(null, "", found.page);
    if (found.record) {
      history.replaceState(null, "", "/replay");
      leave = await (await import("./replay.js")).view(page, found.record);
      return;
    }
  }
  route();
}
start();
