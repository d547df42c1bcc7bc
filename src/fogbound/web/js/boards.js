// The boards that a game offers, and those that are made anew from a seed.
// @ts-check

/** @typedef {import("./game-module.js").Game} Game */

export const RANDOM = "random"; // the board that is made from a seed

/** @param {Game} game @returns {{name: string, about: string}[]} */
export function offered(game) {
  const listed = game.info.boards;
  return game.boards ? game.boards(listed) : listed;
}

/** The seed of a board that nobody has seen yet. */
export function newSeed() {
  return 1 + Math.floor(Math.random() * 999_999);
}
