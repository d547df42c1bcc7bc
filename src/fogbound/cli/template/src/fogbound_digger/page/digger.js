// Digger on the page: a row of cells that can be clicked.
import { h, show } from "/js/dom.js";

class Beach {
  constructor(area, board, play) {
    this.area = area;
    this.cells = board.drawing.cells;
    this.play = play;
  }

  update(position) {
    const { rock, dug, treasure } = position.view;
    const marks = { [rock]: "🪨", ...Object.fromEntries(dug.map((cell) => [cell, "✕"])), [treasure]: "💰" };
    const cells = Array.from({ length: this.cells }, (_, i) => this.cell(i + 1, marks[i + 1], position.legal));
    show(this.area, h("div", { className: "digger-beach" }, cells));
  }

  cell(number, mark, legal) {
    const move = legal.find((each) => each.details.cell === number);
    const onclick = () => this.play(move.code);
    return h("button", { type: "button", disabled: !move, "aria-label": `cell ${number}`, onclick }, mark ?? number);
  }

  setBelief() {}

  wallet(view, seat) {
    return seat === 1 ? [h("span", { className: "chip" }, `${view.digs_left} digs left`)] : [];
  }

  panels() {
    return [];
  }
}

export default {
  Board: Beach,
  styles: [new URL("digger.css", import.meta.url).pathname],
  rules: () => ({ title: "Digger in a minute", parts: [["The hunt", ["One hides it. The other digs."]]] }),
};
