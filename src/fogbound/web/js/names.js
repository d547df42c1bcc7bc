// The name one plays under, kept in this browser.
// @ts-check

export function nickname() {
  return localStorage.getItem("fogbound:name") || "You";
}

/** @param {string} name */
export function setNickname(name) {
  localStorage.setItem("fogbound:name", name);
}
