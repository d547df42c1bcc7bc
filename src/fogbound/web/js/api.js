// The server's API: requests, the secrets of one's seats, and a socket that comes back by itself.
// @ts-check
import { served } from "./texts.js";

/** @param {string} path @param {any} [body] @param {string} [method] @param {string|null} [token] */
async function ask(path, body, method, token) {
  const headers = /** @type {Record<string, string>} */ ({});
  if (body !== undefined) headers["content-type"] = "application/json";
  if (token) headers.authorization = `Bearer ${token}`;
  const answer = await fetch(path, {
    method: method || (body === undefined ? "GET" : "POST"),
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const data = await answer.json().catch(() => ({ error: "The server gave no answer that can be read." }));
  if (!answer.ok) throw new Error(served(data.error || `The server answered ${answer.status}.`));
  return data;
}

/** @type {Map<string, Promise<any>>} */
const boards = new Map();
/** @type {Map<string, any>} */
const families = new Map();

export const api = {
  async games() {
    const games = await ask("/api/games");
    for (const game of games) families.set(game.name, game);
    return games;
  },
  /** @param {string} family */
  async game(family) {
    if (!families.has(family)) families.set(family, await ask(`/api/games/${family}`));
    return families.get(family);
  },
  /** @param {string} spec */
  board(spec) {
    if (!boards.has(spec))
      boards.set(
        spec,
        ask(`/api/board?game=${encodeURIComponent(spec)}`).catch((e) => {
          boards.delete(spec);
          throw e;
        }),
      );
    return /** @type {Promise<any>} */ (boards.get(spec));
  },
  /** @param {any} wish */
  async newTable(wish) {
    const made = await ask("/api/tables", wish);
    tokens.set(made.id, made.token);
    return made.id;
  },
  lobby: () => ask("/api/tables"),
  /** What is being compiled now. */
  compiling: () => ask("/api/compiling"),
  /** @param {string} spec */
  agents: (spec) => ask(`/api/agents?game=${encodeURIComponent(spec)}`),
  /** A table with which seats are this browser's. @param {string} id */
  mine: (id) => ask(`/api/tables/${id}`, undefined, "GET", tokens.get(id)),
  /** The rematch or the next game of a series. @param {string} id */
  async next(id) {
    const token = tokens.get(id);
    const made = await ask(`/api/tables/${id}/next`, {}, "POST", token);
    if (token) tokens.set(made.id, token);
    return made.id;
  },
  /** @param {string} id */
  series: (id) => ask(`/api/tables/${id}/series`),
  /** @param {any} record @param {number} start */
  review: (record, start) => ask(`/api/review?start=${start}`, record),
  /** @param {string} id @param {number} start */
  reviewOf: (id, start) => ask(`/api/tables/${id}/review?start=${start}`),
  lab: () => ask("/api/lab"),
  /** @param {number} seating @param {number} number */
  labRecord: (seating, number) => ask(`/api/lab/record?seating=${seating}&number=${number}`),
  /** @param {string} family */
  lesson: (family) => ask(`/api/lessons/${family}`),
  puzzles: () => ask("/api/puzzles"),
  /** @param {string} id @param {number|null} move */
  puzzle: (id, move) => ask(`/api/puzzles/${id}${move === null ? "" : `?move=${move}`}`),
  /** @param {any} board */
  checkBoard: (board) => ask("/api/check-board", board),
  /** @param {any} asked */
  balance: (asked) => ask("/api/balance", asked),
  /** @param {string} spec */
  definition: (spec) => ask(`/api/definition?game=${encodeURIComponent(spec)}`),
  /** @param {string} id */
  table: (id) => ask(`/api/tables/${id}`),
  /** @param {string} id */
  boardOf: (id) => ask(`/api/tables/${id}/board`),
  /** What the command line prepared for this browser, once. @param {string} ticket */
  prepared: (ticket) => ask("/api/ticket", ticket),
  /** @param {string} id @param {string} nickname @param {number[]} [seats] */
  async join(id, nickname, seats) {
    const made = await ask(`/api/tables/${id}/join`, { nickname, seats: seats || null });
    tokens.set(id, made.token);
  },
  /** @param {string} id */
  leave: (id) => ask(`/api/tables/${id}/leave`, {}, "POST", tokens.get(id)),
  /** @param {string} id */
  record: (id) => ask(`/api/tables/${id}/record`),
  /** @param {string} id @param {number|null} seat */
  replayOf: (id, seat) => ask(`/api/tables/${id}/replay${seat === null ? "" : `?seat=${seat}`}`),
  /** @param {any} record @param {number|null} seat */
  replay: (record, seat) => ask(`/api/replay${seat === null ? "" : `?seat=${seat}`}`, record),
  /** @param {any} record @param {number} move @param {string | null} agent */
  analysis: (record, move, agent) =>
    ask(`/api/analysis?move=${move}${agent ? `&agent=${encodeURIComponent(agent)}` : ""}`, record),
  /**
   * A question that a game answers itself.
   * @param {string} family
   * @param {string} query
   * @param {Record<string, any>} given
   */
  query: (family, query, given) => ask(`/api/games/${family}/${query}?${new URLSearchParams(given)}`),
};

/** Secrets of the seats that this browser holds, by table; never in an address. */
export const tokens = {
  /** @param {string} id @returns {string|null} */
  get: (id) => localStorage.getItem(`fogbound:token:${id}`),
  /** @param {string} id @param {string} token */
  set(id, token) {
    localStorage.setItem(`fogbound:token:${id}`, token);
    localStorage.setItem(
      "fogbound:tables",
      JSON.stringify([id, ...tokens.recent().filter((other) => other !== id)].slice(0, 300)),
    );
  },
  /** Tables where this browser sits or sat, the newest first. @returns {string[]} */
  recent() {
    try {
      return JSON.parse(localStorage.getItem("fogbound:tables") || "[]");
    } catch {
      return [];
    }
  },
};

const CHAT_SHOWN = 100;

/** A table as it is now, from the one before and what has changed. @param {any} table @param {any} change */
function changed(table, change) {
  const now = { ...table, ...change.set };
  if (change.view) now.view = { ...table.view, ...change.view };
  if (change.history) now.history = table.history.slice(0, change.history.from).concat(change.history.moves);
  if (change.chat) now.chat = table.chat.concat(change.chat).slice(-CHAT_SHOWN);
  return now;
}

/**
 * A table's socket. It reconnects by itself, says hello again, and repeats a move that was not acknowledged.
 * The server sends the whole table once and then what has changed; whoever listens always gets the whole.
 */
export class TableSocket {
  /** @param {string} id @param {(message: any) => void} onMessage @param {(connected: boolean) => void} onState */
  constructor(id, onMessage, onState) {
    this.id = id;
    this.onMessage = onMessage;
    this.onState = onState;
    this.closed = false;
    this.wait = 400;
    /** The table as it was sent last. @type {any} */
    this.table = null;
    /** The move that is not acknowledged yet. @type {any} */
    this.unanswered = null;
    /** Whether this connection has brought a table yet; a whole table also comes when the viewer's seat changes. */
    this.greeted = false;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/api/tables/${this.id}/socket`);
    this.socket.onopen = () => {
      this.wait = 400;
      this.greeted = false;
      this.send({ type: "hello", token: tokens.get(this.id), changes: true });
      this.onState(true);
    };
    this.socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    this.socket.onclose = () => {
      if (this.closed) return;
      this.onState(false);
      setTimeout(() => {
        if (!this.closed) this.open();
      }, this.wait);
      this.wait = Math.min(this.wait * 1.7, 6000);
    };
  }

  /** @param {any} message */
  receive(message) {
    if (message.type === "change") message = changed(this.table, message);
    else if (message.type === "table" && this.unanswered && !this.greeted) this.send(this.unanswered);
    else if (message.type === "error" || message.id === this.unanswered?.id) this.unanswered = null;
    if (message.type === "table") {
      this.table = message;
      this.greeted = true;
    }
    this.onMessage(message);
  }

  /** @param {number} move @param {number} version */
  play(move, version) {
    const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 12)}`;
    this.unanswered = { type: "play", move, version, id };
    this.send(this.unanswered);
  }

  /** @param {any} message */
  send(message) {
    if (this.socket && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  close() {
    this.closed = true;
    this.socket?.close();
  }
}
