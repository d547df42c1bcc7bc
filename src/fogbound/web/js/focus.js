// The keyboard's focus stays where it was when a part of the page is drawn anew.
// @ts-check

/** @param {HTMLElement} root @param {() => void} draw */
export function keepingFocus(root, draw) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const inside = before !== null && before !== root && root.contains(before);
  const name = inside ? nameOf(before) : null;
  draw();
  if (!inside || root.contains(document.activeElement)) return;
  const again = name && [...root.querySelectorAll("button, input, select, a")].find((each) => nameOf(each) === name);
  /** @type {HTMLElement} */ (again || root).focus({ preventScroll: true });
}

/** @param {Element} element */
function nameOf(element) {
  return element.getAttribute("data-code") || element.getAttribute("aria-label") || element.textContent;
}
