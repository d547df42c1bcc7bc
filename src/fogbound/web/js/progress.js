// Telling how far something is that takes a while: compiling on a machine's first run, a review, a trial of a board.
// @ts-check
import { api } from "./api.js";
import { h, show } from "./dom.js";
import { t } from "./texts.js";

/** A bar with words under it; without a whole it only says that something goes on.
 * @param {string} text @param {number} [done] @param {number | null} [whole] */
export function bar(text, done, whole) {
  const known = done !== undefined && whole;
  const meter = h("progress", known ? { max: whole, value: Math.min(done, whole) } : {});
  meter.setAttribute("aria-label", text);
  return h("div", { className: "progress" }, meter, h("span", { className: "small soft" }, text));
}

/** What is being compiled now. @param {{what: string, done: number, expected: number | null}} work */
function compilingText(work) {
  const what = work.what === "rules" ? t("compile.rules") : t("compile.agent", { agent: work.what });
  return t("compile.text", { what, n: work.done });
}

/** Wait for something; meanwhile an area tells what is being compiled, if anything is.
 * @template T @param {Element} area @param {Promise<T>} promise @returns {Promise<T>} */
export async function whileCompiling(area, promise) {
  let over = false;
  const watch = async () => {
    await pause(600);
    while (!over) {
      const work = await api.compiling().catch(() => []);
      if (over) break;
      const bars = work.map((/** @type {any} */ each) => bar(compilingText(each), each.done, each.expected));
      show(area, bars.length ? bars : bar(t("wait")));
      await pause(400);
    }
  };
  watch();
  try {
    return await promise;
  } finally {
    over = true;
    show(area);
  }
}

/** @param {number} milliseconds */
export function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}
