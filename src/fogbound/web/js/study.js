// A position to try moves in: the board, what is asked and said about it, and the list of moves. Puzzles and lessons
// are made of it.
// @ts-check
import { h, show } from "./dom.js";
import { t } from "./texts.js";

/**
 * @typedef {import("./game-module.js").Game} Game
 * @typedef {import("./game-module.js").GameBoard} GameBoard
 * @typedef {import("./game-module.js").Position} Position
 */

const MOST_LISTED = 60;

export class Study {
  /** @param {HTMLElement} page @param {Game} game @param {any} board @param {any} head children of the line above
   * @param {(code: number) => void} tryMove */
  constructor(page, game, board, head, tryMove) {
    document.documentElement.dataset.family = game.info.name;
    this.tryMove = tryMove;
    this.area = h("div", { className: "panel board-area" });
    this.said = h("div", { className: "panel said", role: "status" });
    this.side = h("div", { className: "side" });
    show(
      page,
      h("div", { className: "table puzzle" }, h("div", { className: "panel status" }, head), this.area, this.side),
    );
    /** @type {GameBoard} */
    this.view = new game.Board(this.area, board, tryMove);
    this.view.onSelect = () => this.renderSide();
  }

  /** @param {Position} position */
  update(position) {
    this.position = position;
    this.view.update(position);
    this.renderSide();
  }

  /** Say something about the position. @param {...any} children */
  say(...children) {
    show(this.said, ...children);
  }

  renderSide() {
    const position = /** @type {Position} */ (this.position);
    show(this.side, this.said, position.legal.length ? this.moves(position) : null, this.view.panels(position));
  }

  /** @param {Position} position */
  moves(position) {
    const listed = this.view.listed ? this.view.listed(position.legal) : position.legal;
    const button = (/** @type {any} */ move) =>
      h("button", { type: "button", onclick: () => this.tryMove(move.code) }, this.view.moveText?.(move) || move.text);
    return h(
      "section",
      { className: "panel" },
      h("h2", {}, t("puzzles.moves")),
      h("div", { className: "moves" }, listed.slice(0, MOST_LISTED).map(button)),
    );
  }
}
