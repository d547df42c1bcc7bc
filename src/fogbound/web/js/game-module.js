// What the page knows of a game comes from the game's own module: what such a module gives, and loading it.
// @ts-check
import { api } from "./api.js";
import { addStyles, s, seatColour } from "./dom.js";
import plain from "./games/plain.js";
import { addTexts, t } from "./texts.js";

/**
 * A legal move; `details` is the game's own `details(action)`.
 * @typedef {{code: number, text: string, details: any}} Move
 *
 * A move that was played, as this viewer saw it.
 * @typedef {{number: number, seat: number, text: string, details: any}} SeenMove
 *
 * Something that speaks for a move; `facts` are what the game's own `reasons()` found.
 * @typedef {{name: string, text: string, facts: Record<string, any>}} Reason
 *
 * A board as `/api/board` gives it; `drawing` is the game's own `drawing()`.
 * @typedef {object} BoardInfo
 * @property {string} spec
 * @property {string} family
 * @property {string[]} seat_names
 * @property {string[]} side_names
 * @property {number[]} side_of The side that each seat plays for.
 * @property {any} drawing
 *
 * A position as the viewer may see it; `view` is the game's own `public(state)`.
 * @typedef {object} Position
 * @property {any} view
 * @property {number} version How many moves have been played.
 * @property {number} to_move
 * @property {Move[]} legal Empty unless the viewer is to move.
 * @property {SeenMove[]} history
 * @property {number[]} mine The viewer's seats.
 * @property {{seat: number, name: string}[]} seats
 * @property {string} [phase]
 * @property {any} [start] The view that the game began from; a table tells it once the game is over.
 * @property {number} [viewer_seat]
 *
 * A game as `/api/games` gives it.
 * @typedef {object} GameInfo
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {string} default_board
 * @property {{name: string, about: string}[]} boards
 * @property {{name: string, about: string}[]} options
 * @property {{game: string, side: number, about: string}} quick_start
 * @property {{name: string, title: string, least: number, most: number} | null} count
 * @property {string} default_level
 * @property {string} module
 */

/**
 * A board on the screen. `children` in the types below is anything that `h()` takes as a child.
 * @typedef {object} GameBoard
 * @property {(position: Position) => void} update Draws a position.
 * @property {(belief: Record<string, number> | null) => void} setBelief Shows where hidden things may be.
 * @property {(view: any, seat: number) => any} wallet What a seat has, beside its name: children.
 * @property {(position: Position) => any} panels Panels for the side of the page: children.
 * @property {(() => void) | null} [onSelect] Set by the page: to be called when `listed` would change.
 * @property {(legal: Move[]) => Move[]} [listed] The moves for the list, if not all in their order.
 * @property {(move: Move, view?: any) => any} [moveText] What a move's button in the list says: children. `view` is
 *   the position of the move if it is not the one on the board, null where it is not known.
 * @property {(move: Move) => Record<string, string>} [moveStyle] Its style: `--stripe` is the colour of its edge.
 * @property {(move: Move) => void} [highlight] Marks a good move on the board.
 * @property {() => void} [closeUp] Looks at the part of the board where the newest move was.
 * @property {(move: Move | null) => void} [point] Marks what a move in the list would touch, or nothing any more.
 * @property {(position: Position) => string | null} [expected] What the seat to move has to do, if not in the
 *   server's words.
 * @property {(move: SeenMove, before: any, after: any) => string} [tell] A move as a sentence, from the views
 *   before and after it; both are null where they are not known.
 * @property {(move: SeenMove, before: any, after: any) => import("./moments.js").Moment | null} [moment] What counts
 *   about a move.
 * @property {(before: any, position: Position, moves: SeenMove[]) => string[]} [summary] What matters of the
 *   moves since the viewer's last one; `before` is the view after that, or null.
 * @property {(reason: Reason) => string} [why] What speaks for a move, in the reader's language.
 * @property {(position: Position) => any} [ending] How the game went, once it is over: children.
 */

/**
 * A part of the rules: its title, its sentences, and the names of the steps of the lesson that are its pictures.
 * @typedef {[string, string[], string[]?]} Part
 *
 * Everything the page knows of a game: the default export of its module. Only `Board` must be there.
 * @typedef {object} GameModule
 * @property {new (area: HTMLElement, board: BoardInfo, play: (code: number) => void) => GameBoard} Board
 * @property {string[]} [styles] Addresses of its style sheets, loaded before anything is drawn.
 * @property {string} [texts] Address of its catalogues of texts, without `.en.json`: see texts.js.
 * @property {(info: GameInfo) => any} [picture] A drawing of 320 x 190: children of an SVG.
 * @property {(info: GameInfo) => {title: string, parts: Part[], more?: Part[]}} [rules] The rules in short, and what
 *   there is more to know.
 * @property {[string, (position: Position, mine: SeenMove[]) => boolean][]} [lessons] What a first game teaches,
 *   one thing after the other (a sentence, or its key in `texts`), and whether it has happened.
 * @property {(position: Position, myTurn: boolean) => string} [advice] Advice for this moment of a first game.
 * @property {(name: string) => {ask: string, right: string, wrong: string}} [step] What a step of its lesson asks for,
 *   why that is right, and what is wrong with other moves.
 * @property {(goal: any) => string} [goal] What a puzzle with a goal of its own asks for.
 * @property {(seat: number) => string} [seatColour] The colour of a seat's dot.
 * @property {(boards: {name: string, about: string}[]) => {name: string, about: string}[]} [boards] The boards to
 *   choose from, if not all.
 * @property {(exact: any) => any} [exact] The panel for an exact value: children.
 */

/** @typedef {GameModule & Required<Pick<GameModule, "picture" | "rules">>} Complete */
/** @typedef {Complete & {info: GameInfo}} Game */

/** @type {Map<string, Promise<Game>>} */
const games = new Map();

/** A game by its family's name, ready to be shown. @param {string} family @returns {Promise<Game>} */
export function loadGame(family) {
  const known = games.get(family);
  if (known) return known;
  const loading = load(family).catch((error) => {
    games.delete(family);
    throw error;
  });
  games.set(family, loading);
  return loading;
}

/** @param {string} family @returns {Promise<Game>} */
async function load(family) {
  const info = await api.game(family);
  /** @type {Complete} */
  const module = { ...plain, ...(await fetchModule(info.module)) };
  await Promise.all([module.texts && addTexts(module.texts), ...(module.styles || []).map(addStyles)]);
  return { ...module, info };
}

/** A module that cannot be loaded costs the game its drawing, nothing else. @param {string} address */
async function fetchModule(address) {
  try {
    return /** @type {GameModule} */ ((await import(address)).default);
  } catch (error) {
    console.error(error);
    return plain;
  }
}

/** A game's small drawing. @param {Game} game */
export function picture(game) {
  const label = t("game.drawing", { game: game.info.title });
  const props = { viewBox: "0 0 320 190", role: "img", "aria-label": label, preserveAspectRatio: "xMidYMid slice" };
  return s("svg", props, game.picture(game.info));
}

/** The colour of a seat's dot. @param {Game} game @param {number} seat */
export function dotColour(game, seat) {
  return game.seatColour ? game.seatColour(seat) : seatColour(seat);
}
