// The fog at the foot of every game's picture.
// @ts-check
import { s } from "../dom.js";

export function fog() {
  return [
    s("ellipse", { cx: 60, cy: 188, rx: 150, ry: 26, fill: "var(--fog)", opacity: 0.16 }),
    s("ellipse", { cx: 260, cy: 182, rx: 120, ry: 22, fill: "var(--fog)", opacity: 0.14 }),
  ];
}
