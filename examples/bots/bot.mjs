// A bot in JavaScript, without any library: it plays the move with the longest description.
//
// fogbound run scotland-yard/plan1 --agents "program:node examples/bots/bot.mjs,heuristic"
import { createInterface } from "node:readline";

/** What to say to a message; nothing if nothing has to be said. @param {any} message */
function answer(message) {
  if (message.type === "hello") return { type: "hello", protocol: 1, name: "Wordy in JavaScript" };
  if (message.type === "game") return { type: "game" };
  if (message.type !== "move") return undefined;
  const wordier = (/** @type {any} */ a, /** @type {any} */ b) => (b.text.length > a.text.length ? b : a);
  return { type: "move", move: message.legal.reduce(wordier).code };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "quit") process.exit();
  const said = answer(message);
  if (said) process.stdout.write(JSON.stringify(said) + "\n");
}
