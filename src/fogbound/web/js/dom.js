// Making elements: h() for HTML, s() for SVG.
// @ts-check

/** @typedef {Record<string, any>} Props */

/** @param {Element} element @param {Props} props @param {any[]} children */
function fill(element, props, children) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2).toLowerCase(), value);
    else if (key === "style" && typeof value === "object")
      for (const [name, v] of Object.entries(value)) /** @type {any} */ (element).style.setProperty(name, v);
    else element.setAttribute(key === "className" ? "class" : key, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** @param {string} tag @param {Props} [props] @param {...any} children @returns {any} */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** @param {string} tag @param {Props} [props] @param {...any} children @returns {any} */
export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

/** @param {Element} parent @param {...any} children */
export function show(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
}

/** A short message at the bottom of the page. @param {string} text @param {string} [kind] */
export function toast(text, kind = "") {
  const box = h("div", { className: `toast ${kind}` }, text);
  document.getElementById("toasts")?.append(box);
  setTimeout(() => box.remove(), 5200);
}

/** A dialog that removes itself when it is closed. @param {...any} children @returns {HTMLDialogElement} */
export function dialog(...children) {
  const box = h("dialog", {}, ...children);
  document.body.append(box);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (/** @type {MouseEvent} */ e) => {
    if (e.target === box) box.close();
  });
  box.showModal();
  return box;
}

/** @param {number} seat */
export function seatColour(seat) {
  return seat < 0 ? "var(--neutral)" : `var(--p${seat})`;
}

/** Load a style sheet, once. @param {string} address @returns {Promise<void>} */
export function addStyles(address) {
  if (document.querySelector(`link[href="${address}"]`)) return Promise.resolve();
  return new Promise((done) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.onload = link.onerror = () => done();
    link.setAttribute("href", address);
    document.head.append(link);
  });
}
