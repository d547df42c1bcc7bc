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
}

/** A game's own catalogues, on top of the page's: `address` goes before `.en.json`. @param {string} address */
export async function addTexts(address) {
  const read = (/** @type {string} */ name) =>
    fetch(`${address}.${name}.json`).then((answer) => (answer.ok ? answer.json() : {}));
  const [plain, ours] = await Promise.all([read("en"), language === "en" ? {} : read(language)]);
  Object.assign(english, plain);
  Object.assign(own, ours);
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

/** A name or sentence of the server, in the reader's language where a catalogue has it, or each of its parts;
 * `{n}` is the first number. @param {string} text */
export function served(text) {
  const parts = known(text) ? [text] : text.split(/(: |, )/);
  if (!parts.every((part, i) => i % 2 || known(part))) return text;
  return parts.map((part, i) => (i % 2 ? part : t(serverKey(part), { n: /\d+/.exec(part)?.[0] }))).join("");
}

/** @param {string} text */
function serverKey(text) {
  return `server.${text.replace(/\d+/, "{n}")}`;
}

/** @param {string} text */
function known(text) {
  return serverKey(text) in own || serverKey(text) in english;
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
