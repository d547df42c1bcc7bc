// The page's texts in the reader's language: catalogues in /texts/, with plural forms; English where one lacks a text.
// @ts-check

/** @typedef {Record<string, string | Record<string, string>>} Catalogue */

/** Languages with a catalogue, by their own names. @type {Record<string, string>} */
export const LANGUAGES = { en: "English", cs: "Čeština", sk: "Slovenčina" };
const KEY = "fogbound:language";

/** @type {Catalogue} */
let english = {};
/** @type {Catalogue} */
let own = {};
let language = "en";
/** Sentences of the server with names in them, and their keys. @type {[RegExp, string][]} */
let patterns = [];

/** The language that was chosen, or the first one of the browser's that there is a catalogue for. */
export function currentLanguage() {
  const wanted = [localStorage.getItem(KEY), ...navigator.languages.map((name) => name.slice(0, 2))];
  return wanted.find((name) => name && name in LANGUAGES) || "en";
}

/** @param {string} name */
export function chooseLanguage(name) {
  localStorage.setItem(KEY, name);
  location.reload();
}

/** Fetch the catalogues; before that, t() gives nothing of use. */
export async function loadTexts() {
  language = currentLanguage();
  document.documentElement.lang = language;
  const read = (/** @type {string} */ name) => fetch(`/texts/${name}.json`).then((answer) => answer.json());
  [english, own] = await Promise.all([read("en"), language === "en" ? {} : read(language)]);
  findPatterns();
}

/** A game's own catalogues, on top of the page's: `address` goes before `.en.json`. @param {string} address */
export async function addTexts(address) {
  const read = (/** @type {string} */ name) =>
    fetch(`${address}.${name}.json`).then((answer) => (answer.ok ? answer.json() : {}));
  const [plain, ours] = await Promise.all([read("en"), language === "en" ? {} : read(language)]);
  Object.assign(english, plain);
  Object.assign(own, ours);
  findPatterns();
}

/** A text by its key, with what stands in braces filled in; `n` chooses the plural form.
 * @param {string} key @param {Record<string, any>} [args] @returns {string} */
export function t(key, args = {}) {
  const found = own[key] ?? english[key] ?? key;
  const form = typeof found === "string" ? found : plural(found, Number(args.n));
  return form.replace(/\{(\w+)\}/g, (whole, name) => (name in args ? String(args[name]) : whole));
}

/** The same, or what the server says where no catalogue knows it.
 * @param {string} key @param {string} fallback @param {Record<string, any>} [args] */
export function tOr(key, fallback, args) {
  return key in own || key in english ? t(key, args) : fallback;
}

/** A name or sentence of the server, in the reader's language where a catalogue has it, or each of its parts.
 * @param {string} text */
export function served(text) {
  const whole = spoken(text);
  if (whole !== null) return whole;
  const parts = text.split(/(: |, )/).map((part, i) => (i % 2 ? part : spoken(part)));
  return parts.includes(null) ? text : parts.join("");
}

/** What a catalogue has for a text: as it stands with `{n}` for its first number, or by a key with words in braces
 * that stand for names. @param {string} text @returns {string | null} */
function spoken(text) {
  const key = `server.${text.replace(/\d+/, "{n}")}`;
  if (key in own || key in english) return t(key, { n: /\d+/.exec(text)?.[0] });
  for (const [form, pattern] of patterns) {
    const found = form.exec(text)?.groups;
    if (found) return t(pattern, Object.fromEntries(Object.entries(found).map(([slot, name]) => [slot, named(name)])));
  }
  return null;
}

/** One name, or several that the server joins by “and”. @param {string} text */
function named(text) {
  const whole = served(text);
  if (whole !== text) return whole;
  return text
    .split(" and ")
    .map(served)
    .reduce((first, last) => t("words.and", { first, last }));
}

/** Find the keys with names in them, the longest first: they say most. */
function findPatterns() {
  const keys = Object.keys(english).filter((key) => /^server\..*\{(?!n\})/.test(key));
  patterns = keys
    .sort((a, b) => b.length - a.length)
    .map((key) => {
      const literal = key.slice(7).replace(/[.*+?^$()|[\]\\]/g, "\\$&");
      const form = literal.replace(/\{(\w+)\}/g, (_, slot) => (slot === "n" ? "(?<n>\\d+)" : `(?<${slot}>.+?)`));
      return [new RegExp(`^${form}$`), key];
    });
}

/** @param {Record<string, string>} forms @param {number} n */
function plural(forms, n) {
  return forms[new Intl.PluralRules(language).select(n)] ?? forms.other;
}

/** A number as it is written here. @param {number} n @param {Intl.NumberFormatOptions} [options] */
export function number(n, options) {
  return new Intl.NumberFormat(language, options).format(n);
}

/** A day and time as it is written here. @param {number} seconds since 1970 */
export function when(seconds) {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(seconds * 1000);
}
