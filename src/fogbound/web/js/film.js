// Shows what others do at a pace that eyes can follow: positions that come faster wait for their turn.
// @ts-check

/** How long each move of another is shown, by name, in milliseconds. @type {Record<string, number>} */
export const PACES = { slow: 1500, normal: 600, fast: 200, instant: 0 };
const LONGEST = 400; // positions that may wait; a page that falls farther behind shows the newest

export function pace() {
  const chosen = localStorage.getItem("fogbound:speed") || "normal";
  return chosen in PACES ? chosen : "normal";
}

/** @param {string} name */
export function setPace(name) {
  localStorage.setItem("fogbound:speed", name);
}

export class Film {
  /** @param {(position: any) => void} show @param {(waiting: number) => void} onWaiting */
  constructor(show, onWaiting) {
    this.show = show;
    this.onWaiting = onWaiting;
    /** @type {any[]} */
    this.queue = [];
    /** @type {any} */
    this.last = null;
    this.timer = 0;
    this.until = 0;
  }

  /** @param {any} position */
  add(position) {
    const newest = this.queue[this.queue.length - 1] || this.last;
    if (this.mustBeSeenNow(newest, position)) {
      this.queue = [];
      return this.present(position);
    }
    if (this.queue.length && newest.version === position.version) this.queue.pop();
    this.queue.push(position);
    if (!this.timer) this.next();
    else this.onWaiting(this.queue.length);
  }

  /**
   * Other eyes, a step back, one's own move: nothing of what was before may be shown any more.
   * @param {any} before
   * @param {any} now
   */
  mustBeSeenNow(before, now) {
    if (!before || before.viewer_seat !== now.viewer_seat || now.hand_over !== before.hand_over) return true;
    return now.version < before.version || this.pause(now) === 0 || this.queue.length > LONGEST;
  }

  /** How long a position is shown before the next one. @param {any} position */
  pause(position) {
    const move = position.history[position.history.length - 1];
    const known = this.last?.version === position.version;
    if (!move || known || position.mine.includes(move.seat) || document.hidden) return 0;
    return PACES[pace()];
  }

  next() {
    this.timer = 0;
    const position = this.queue.shift();
    if (position) this.present(position);
  }

  /** @param {any} position */
  present(position) {
    clearTimeout(this.timer);
    const pause = this.pause(position);
    this.last = position;
    this.show(position); // which may hold the film
    const wait = Math.max(pause, this.until - Date.now());
    this.timer = wait > 0 ? window.setTimeout(() => this.next(), wait) : 0;
    if (!this.timer && this.queue.length) this.next();
    this.onWaiting(this.queue.length);
  }

  /** Something is to be looked at for a while. @param {number} milliseconds */
  hold(milliseconds) {
    if (PACES[pace()]) this.until = Date.now() + milliseconds;
  }

  /** Show the newest at once. */
  skip() {
    const newest = this.queue.pop();
    this.queue = [];
    this.until = 0;
    if (newest) this.present(newest);
  }

  close() {
    clearTimeout(this.timer);
    this.queue = [];
  }
}
