// Options as controls: choices, numbers and switches, made from what the server says of them.
// @ts-check
import { h } from "./dom.js";
import { served, t, tOr } from "./texts.js";

/**
 * @typedef {object} Option
 * @property {string} name
 * @property {string} about
 * @property {any} default
 * @property {string | null} type
 * @property {any[] | null} choices
 * @property {number | null} min
 * @property {number | null} max
 * @property {boolean} optional
 *
 * A control with its line on the page; `value` is "" where nothing was changed.
 * @typedef {{name: string, line: HTMLElement, value: () => string, set: (value: string) => void}} Control
 */

/** @param {Option} option @param {() => void} changed @returns {Control | null} */
export function control(option, changed) {
  if (option.type === "object") return null; // too much for one line; a board file can say it
  if (option.type === "boolean" && !option.optional) return switchFor(option, changed);
  if (option.choices || option.type === "boolean") return choice(option, changed);
  return field(option, changed);
}

/** @param {Option} option */
function title(option) {
  const words = option.name.replaceAll("_", " ");
  return tOr(`option.${option.name}`, words[0].toUpperCase() + words.slice(1));
}

/** @param {Option} option @param {() => void} changed @returns {Control} */
function switchFor(option, changed) {
  const box = h("input", { type: "checkbox", onchange: changed, "data-option": option.name });
  box.checked = Boolean(option.default);
  const about = h("span", { className: "soft small" }, served(option.about));
  return {
    name: option.name,
    line: h("label", { className: "switch" }, box, h("span", {}, h("strong", {}, title(option)), about)),
    value: () => (box.checked === Boolean(option.default) ? "" : String(box.checked)),
    set(value) {
      box.checked = value === "" ? Boolean(option.default) : value === "true" || value === option.name;
    },
  };
}

/** @param {Option} option @param {() => void} changed @returns {Control} */
function choice(option, changed) {
  const choices = option.choices || [true, false];
  const usual = option.optional || option.default === null;
  const select = h(
    "select",
    { onchange: changed, "data-option": option.name },
    usual ? h("option", { value: "" }, t("setup.usual")) : null,
    choices.map((each) => h("option", { value: String(each) }, choiceText(each))),
  );
  const normal = usual ? "" : String(option.default);
  select.value = normal;
  return {
    name: option.name,
    line: labelled(option, select),
    value: () => (select.value === normal ? "" : select.value),
    set(value) {
      select.value = value === "" ? normal : value;
    },
  };
}

/** @param {any} value */
function choiceText(value) {
  if (value === true) return t("setup.yes");
  if (value === false) return t("setup.no");
  return tOr(`choice.${value}`, String(value).replaceAll("_", " "));
}

/** @param {Option} option @param {() => void} changed @returns {Control} */
function field(option, changed) {
  const numeric = option.type === "integer" || option.type === "number";
  const usual = option.default === null || Array.isArray(option.default) ? "" : String(option.default);
  const input = h("input", {
    type: numeric ? "number" : "text",
    min: option.min,
    max: option.max,
    step: option.type === "number" ? "any" : null,
    placeholder: usual || t("setup.usual"),
    "data-option": option.name,
    onchange: changed,
  });
  return {
    name: option.name,
    line: labelled(option, input),
    value: () => (input.value === usual ? "" : input.value.trim()),
    set(value) {
      input.value = value;
    },
  };
}

/** @param {Option} option @param {HTMLElement} input */
function labelled(option, input) {
  return h(
    "label",
    { className: "option" },
    h("strong", {}, title(option)),
    input,
    h("span", { className: "soft small" }, served(option.about)),
  );
}

/** What was changed, as it is written in a spec. @param {Control[]} controls */
export function written(controls) {
  return controls
    .map((each) => [each.name, each.value()])
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${value}`);
}

/** A spec's options by name. @param {string} text @returns {Record<string, string>} */
export function read(text) {
  const pairs = text.split(",").filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, ...value] = pair.split("=");
      return [name.trim(), value.length ? value.join("=").trim() : "true"];
    }),
  );
}
