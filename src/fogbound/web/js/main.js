// The page finds its way by the address: front page, lobby, tables, replays.
// @ts-check
import { api, tokens } from "./api.js";
import { show, h, toast } from "./dom.js";

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {null | (() => void)} */
let leave = null;

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
    if (room === "table" && id) leave = await (await import("./table.js")).open(page, id);
    else if (room === "lobby") leave = await (await import("./lobby.js")).open(page);
    else if (room === "replay") leave = await (await import("./replay.js")).open(page, id || null);
    else leave = await (await import("./front.js")).open(page);
  } catch (error) {
    show(
      page,
      h(
        "div",
        { className: "panel" },
        h("h2", {}, "That did not work"),
        h("p", {}, String(/** @type {Error} */ (error).message)),
        h("a", { href: "/", className: "button", "data-route": true }, "To the front page"),
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

const themes = ["auto", "dark", "light"];
document.getElementById("theme")?.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme || "auto";
  const next = themes[(themes.indexOf(now) + 1) % themes.length];
  document.documentElement.dataset.theme = next;
  localStorage.setItem("fogbound:theme", next);
  /** @type {HTMLElement} */ (document.getElementById("theme")).textContent =
    { auto: "Theme", dark: "Dark", light: "Light" }[next] || "Theme";
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
    if (found.record) {
      history.replaceState(null, "", "/replay");
      leave = await (await import("./replay.js")).view(page, found.record);
      return;
    }
  }
  route();
}
start();
