// Room on a crowded board: pieces and labels are moved a little so that none covers another.
// @ts-check

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, w: number, h: number}} Rect its middle and its size */

/** Push points apart that are closer than a distance; the others stay. @param {Point[]} points @param {number} least */
export function apart(points, least) {
  const places = points.map(({ x, y }) => ({ x, y }));
  for (let round = 0; round < 60; round++) {
    let worst = 0;
    for (let i = 0; i < places.length; i++)
      for (let j = 0; j < i; j++) worst = Math.max(worst, part(places[i], places[j], least));
    if (worst < least * 0.01) break;
  }
  return places;
}

/** @param {Point} a @param {Point} b @param {number} least */
function part(a, b, least) {
  const [dx, dy] = [a.x - b.x, a.y - b.y];
  if (Math.abs(dx) >= least || Math.abs(dy) >= least) return 0;
  const far = Math.hypot(dx, dy);
  const missing = least - far;
  if (missing <= 0) return 0;
  const [ux, uy] = far > 1e-9 ? [dx / far, dy / far] : [1, 0];
  a.x += (ux * missing) / 2;
  a.y += (uy * missing) / 2;
  b.x -= (ux * missing) / 2;
  b.y -= (uy * missing) / 2;
  return missing;
}

/**
 * For each label the best of its places: the least covered by pieces and by labels placed before, then the first.
 * @param {Rect[][]} candidates
 * @param {Rect[]} pieces
 */
export function placed(candidates, pieces) {
  const taken = [...pieces];
  const crowd = (/** @type {Rect[]} */ places) => taken.reduce((sum, other) => sum + overlap(places[0], other), 0);
  const order = candidates.map((_, i) => i).sort((a, b) => crowd(candidates[b]) - crowd(candidates[a]));
  /** @type {Rect[]} */
  const chosen = [];
  for (let round = 0; round < 2; round++)
    for (const i of order) {
      const others = [...pieces, ...chosen.filter((_, j) => j !== i)];
      const cost = (/** @type {Rect} */ place, /** @type {number} */ rank) =>
        others.reduce((sum, other) => sum + overlap(place, other), 0) + rank * 0.015 * place.w * place.h;
      const costs = candidates[i].map(cost);
      chosen[i] = candidates[i][costs.indexOf(Math.min(...costs))];
    }
  return chosen;
}

/** @param {Rect} a @param {Rect} b */
export function overlap(a, b) {
  const across = Math.min(a.x + a.w / 2, b.x + b.w / 2) - Math.max(a.x - a.w / 2, b.x - b.w / 2);
  const down = Math.min(a.y + a.h / 2, b.y + b.h / 2) - Math.max(a.y - a.h / 2, b.y - b.h / 2);
  return across > 0 && down > 0 ? across * down : 0;
}
