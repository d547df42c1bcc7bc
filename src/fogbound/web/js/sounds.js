// Sounds, made here from plain tones; off until they are switched on.
// @ts-check

/** Tones of each sound: frequency in Hz, start and length in seconds, form. @type {Record<string, any[][]>} */
const SOUNDS = {
  move: [[330, 0, 0.07, "triangle"]],
  turn: [
    [523, 0, 0.12, "sine"],
    [784, 0.11, 0.18, "sine"],
  ],
  fight: [
    [140, 0, 0.05, "square"],
    [180, 0.06, 0.05, "square"],
    [120, 0.12, 0.07, "square"],
  ],
  reveal: [
    [392, 0, 0.16, "sine"],
    [587, 0.14, 0.16, "sine"],
    [880, 0.28, 0.34, "sine"],
  ],
  conquest: [
    [262, 0, 0.14, "sawtooth"],
    [330, 0.12, 0.14, "sawtooth"],
    [392, 0.24, 0.3, "sawtooth"],
  ],
  loss: [
    [330, 0, 0.2, "sawtooth"],
    [247, 0.18, 0.2, "sawtooth"],
    [196, 0.36, 0.4, "sawtooth"],
  ],
  end: [
    [392, 0, 0.18, "triangle"],
    [523, 0.16, 0.18, "triangle"],
    [659, 0.32, 0.18, "triangle"],
    [784, 0.48, 0.5, "triangle"],
  ],
};
const LOUDNESS = 0.08;

/** @type {AudioContext | null} */
let audio = null;

export function soundsOn() {
  return localStorage.getItem("fogbound:sounds") === "on";
}

/** @param {boolean} on */
export function setSounds(on) {
  localStorage.setItem("fogbound:sounds", on ? "on" : "off");
  if (on) play("turn");
}

/** @param {string} name */
export function play(name) {
  if (!soundsOn() || !(name in SOUNDS)) return;
  audio ??= new AudioContext();
  for (const [frequency, start, length, form] of SOUNDS[name]) tone(audio, frequency, start, length, form);
}

/**
 * @param {AudioContext} where
 * @param {number} frequency
 * @param {number} start
 * @param {number} length
 * @param {any} form
 */
function tone(where, frequency, start, length, form) {
  const source = where.createOscillator();
  const volume = where.createGain();
  const from = where.currentTime + start;
  source.type = form;
  source.frequency.value = frequency;
  volume.gain.setValueAtTime(LOUDNESS, from);
  volume.gain.exponentialRampToValueAtTime(0.0001, from + length);
  source.connect(volume).connect(where.destination);
  source.start(from);
  source.stop(from + length);
}
