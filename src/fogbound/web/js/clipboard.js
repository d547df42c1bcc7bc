// Copying to the clipboard, and saying honestly whether it worked: over plain HTTP a browser may refuse.
// @ts-check
import { h, toast } from "./dom.js";
import { t } from "./texts.js";

/** @param {string} text */
export async function copy(text) {
  const done = (await byClipboard(text)) || bySelection(text);
  if (done) toast(t("copy.done"), "good");
  else toast(t("copy.refused", { text }));
  return done;
}

/** @param {string} text */
async function byClipboard(text) {
  if (!navigator.clipboard) return false;
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** The old way, which needs no secure connection. @param {string} text */
function bySelection(text) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const field = h("textarea", { readonly: true, className: "unseen", "aria-hidden": "true" }, text);
  const place = before?.closest("dialog") || document.body; // outside an open dialog nothing can be selected
  place.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  before?.focus();
  return done;
}
