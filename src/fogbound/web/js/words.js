// Words with numbers, lists, and who sits where, as people say them.
// @ts-check

/** “1 army”, “3 armies”. @param {number} n @param {string} one @param {string} [many] */
export function count(n, one, many = `${one}s`) {
  return `${n} ${n === 1 ? one : many}`;
}

/** With a capital letter. @param {string} text */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** “a, b and c”. @param {string[]} words */
export function list(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** Who sits on a seat, said to somebody who may be that person. @param {any} seat @param {readonly number[]} mine */
export function who(seat, mine) {
  if (seat.kind === "agent") return `${seat.nickname} (AI)`;
  if (seat.kind === "open") return "open seat";
  if (!mine.includes(seat.seat)) return seat.nickname;
  return seat.nickname === "You" ? "you" : `${seat.nickname} (you)`;
}

/** Short marks for names, no two alike: the first letter, the last, or another. @param {string[]} names */
export function marks(names) {
  /** @type {string[]} */
  const taken = [];
  for (const name of names) {
    const letters = [name[0], name[name.length - 1], ...name].map((letter) => letter.toUpperCase());
    taken.push(letters.find((letter) => !taken.includes(letter)) || String(taken.length));
  }
  return taken;
}
