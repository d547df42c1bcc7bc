// Lists, and who sits where, as people say them.
// @ts-check
import { number, t, tOr } from "./texts.js";

/** With a capital letter. @param {string} text */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** “a, b and c”. @param {string[]} words */
export function list(words) {
  if (words.length < 2) return words.join("");
  return t("words.and", { first: words.slice(0, -1).join(", "), last: words[words.length - 1] });
}

/** Chances among some facts as they are written here. @param {Record<string, any>} facts */
export function withShares(facts) {
  const share = (/** @type {number} */ value) => number(value, { style: "percent", maximumFractionDigits: 0 });
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, ["share", "before"].includes(name) ? share(value) : value]),
  );
}

/** Who sits on a seat, said to somebody who may be that person. @param {any} seat @param {readonly number[]} mine */
export function who(seat, mine) {
  if (seat.kind === "agent") return t("words.ai", { name: tOr(`level.${seat.nickname.toLowerCase()}`, seat.nickname) });
  if (seat.kind === "open") return t("words.open-seat");
  if (!mine.includes(seat.seat)) return seat.nickname;
  return seat.nickname === "You" ? t("words.you") : t("words.named-you", { name: seat.nickname });
}

/** Short marks for names, no two alike: the first letter, the last, or another. @param {string[]} names */
export function marks(names) {
  /** @type {string[]} */
  const taken = [];
  for (const name of names) {
    const letters = [name[0], name[name.length - 1], ...name].map((letter) => letter.toUpperCase());
    taken.push(letters.find((letter) => !taken.includes(letter)) || String(taken.length));
  }
  return taken;
}
