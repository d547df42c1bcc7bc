// What happened, in sentences. The board's own `tell` words a move from the positions before and after it; those are
// only known while one is there, so sentences are kept for this browser tab, each for the eyes that saw it.
// @ts-check
import { currentLanguage, served } from "./texts.js";

/** @typedef {import("./game-module.js").GameBoard} GameBoard */
/** @typedef {import("./game-module.js").SeenMove} SeenMove */

const KEPT = 600;
const RECALLED = 60; // moves that the server tells of

export class Story {
  /** @param {GameBoard} board @param {string} id */
  constructor(board, id) {
    this.board = board;
    this.key = `fogbound:story:${currentLanguage()}:${id}`;
    /** By eyes and number: the move as it was seen, and its sentence. @type {Map<string, [string, string]>} */
    this.told = new Map(recall(this.key));
    /** The position before the newest. @type {any} */
    this.before = null;
    /** The position when it was this viewer's turn last. @type {any} */
    this.mine = null;
    /** Seats for which the server was asked what their last moves did. @type {Set<number>} */
    this.asked = new Set();
  }

  /** A position has become known. @param {any} m */
  note(m) {
    const before = this.before;
    this.before = m;
    if (!before || before.viewer_seat !== m.viewer_seat || m.version !== before.version + 1) return;
    const move = m.history[m.version - 1];
    const sentence = this.board.tell?.(move, before.view, m.view);
    if (sentence) this.told.set(`${m.viewer_seat}:${move.number}`, [move.text, sentence]);
    keep(this.key, [...this.told].slice(-KEPT));
  }

  /** Whether the server is to be asked about the last moves: once for each of one's seats. @param {any} m */
  lacks(m) {
    if (this.asked.has(m.viewer_seat)) return false;
    this.asked.add(m.viewer_seat);
    return m.history
      .slice(-RECALLED)
      .some((/** @type {any} */ move) => !this.told.has(`${m.viewer_seat}:${move.number}`));
  }

  /** The positions of the last moves have become known, as one's seat saw them. @param {any} past @param {any} m */
  recall(past, m) {
    /** @type {any} */
    let before = null;
    let number = past.first;
    for (const changed of past.views) {
      const after = { ...before, ...changed };
      const move = before && m.history[number++];
      const sentence = move && this.board.tell?.(move, before, after);
      const key = `${past.viewer_seat}:${move?.number}`;
      if (sentence && !this.told.has(key)) this.told.set(key, [move.text, sentence]);
      before = after;
    }
  }

  /** One move as a sentence. @param {any} m @param {SeenMove} move */
  sentence(m, move) {
    const eyes = m.phase === "over" ? [m.viewer_seat, ...m.mine, -1] : [m.viewer_seat];
    const known = eyes.map((seat) => this.told.get(`${seat}:${move.number}`)).find((one) => one?.[0] === move.text);
    return known ? known[1] : this.board.tell?.(move, null, null) || `${served(m.seats[move.seat].name)}: ${move.text}`;
  }

  /** The number of the first move since this viewer's last. @param {any} m */
  sinceMine(m) {
    let first = m.history.length;
    while (first && !m.mine.includes(m.history[first - 1].seat)) first--;
    return first;
  }
}

/** @param {string} key @returns {[string, [string, string]][]} */
function recall(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) || "[]");
  } catch {
    return [];
  }
}

/** @param {string} key @param {any} value */
function keep(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    sessionStorage.clear(); // full: the newest game matters most
  }
}
