// Which drawing belongs to which game.
// @ts-check

/** @param {string} family @param {HTMLElement} area @param {any} board @param {(code: number) => void} play @returns {Promise<any>} */
export async function makeBoard(family, area, board, play) {
  if (family === "scotland-yard") return new (await import("./scotland_yard.js")).YardBoard(area, board, play);
  if (family === "risk") return new (await import("./risk.js")).RiskBoard(area, board, play);
  if (family === "empire") return new (await import("./empire.js")).EmpireBoard(area, board, play);
  throw new Error(`This page cannot draw ${family}.`);
}
