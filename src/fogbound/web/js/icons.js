// Small drawings for buttons, our own, so that no sign depends on a font.
// @ts-check
import { h, s } from "./dom.js";

const PATHS = {
  first: "M5 4h2v16H5zM19 4v16L8 12z",
  back: "M17 4v16L6 12z",
  play: "M7 4l13 8L7 20z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  forward: "M7 4v16l11-8z",
  last: "M17 4h2v16h-2zM5 4v16l11-8z",
  plus: "M11 4h2v7h7v2h-7v7h-2v-7H4v-2h7z",
  minus: "M4 11h16v2H4z",
  whole: "M3 3h7v2H5v5H3zM14 3h7v7h-2V5h-5zM3 14h2v5h5v2H3zM19 14h2v7h-7v-2h5z",
  up: "M12 7l8 9-1.6 1.5L12 10.300l-6.400 7.200L4 16z",
  undo: "M9 3L3 8.500L9 14v-4h5a4 4 0 0 1 0 8H8v2h6a6 6 0 0 0 0-12H9z",
  skip: "M4 4l8 8-8 8zM12 4l8 8-8 8z",
  rules: "M4 4h7a2 2 0 0 1 1 .4A2 2 0 0 1 13 4h7v15h-7l-1 1-1-1H4zM6 6v11h5V6zM13 6v11h5V6z",
  share: "M12 2l6 6-1.400 1.400L13 5.800V15h-2V5.800L7.400 9.400L6 8zM4 13h2v7h12v-7h2v9H4z",
  leave: "M4 3h9v2H6v14h7v2H4zM15 7l5 5-5 5-1.400-1.400L16.200 13H9v-2h7.200l-2.600-2.600z",
  settings:
    "M4 6h8.2a3 3 0 0 1 5.6 0H20v2h-2.2a3 3 0 0 1-5.6 0H4zM4 16h2.2a3 3 0 0 1 5.6 0H20v2h-8.2a3 3 0 0 1-5.6 0H4z",
  close: "M5.5 4L12 10.5L18.5 4L20 5.5L13.5 12l6.5 6.5-1.5 1.5L12 13.5L5.5 20L4 18.5L10.500 12L4 5.5z",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return s("svg", { className: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));
}

/**
 * A button with a drawing; its words are shown too where there is room, and always spoken.
 * @param {keyof typeof PATHS} name
 * @param {string} label
 * @param {(event: Event) => void} act
 * @param {string} [className]
 */
export function iconButton(name, label, act, className = "") {
  return h(
    "button",
    { type: "button", className: `with-icon ${className}`, "aria-label": label, title: label, onclick: act },
    icon(name),
    h("span", { className: "label" }, label),
  );
}
