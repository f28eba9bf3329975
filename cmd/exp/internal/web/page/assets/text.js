// A text with shaded words, which mouse and keyboard read one by one.

import { h, visible } from "./dom.js";

export const percent = (p) => `${(100 * p).toFixed(1)}\u00a0%`;

// signed writes a part of a score with its sign.
export const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(3);

// scoreOf writes a word's score in three digits, with its sign where it has one.
export const scoreOf = (t, x) => (x < 0 ? "−" : t.signed ? "+" : "") + (Math.abs(x) < 100 ? Math.abs(x).toPrecision(3) : Math.abs(x).toFixed(0));

// toward says for which class a part of a score is.
export const toward = (e, x) => x >= 0 ? `for ${e.above}` : e.below ? `for ${e.below}` : `against ${e.above}`;

// shades are words with 2 to 32 equal shares.
export const shades = (more) => [1, 2, 3, 4, 5].map((k) => shaded(h("span", { class: "word" + more }, String(2 ** k)), k / 5));

// scale explains the shades.
export function scale(unknown, what = "Weight") {
  return h("p", { class: "hint scale" }, what + ", × an equal share: ", ...shades(""), unknown ? h("span", { class: "unknown" }, "unknown word") : null);
}

function shaded(span, strength) {
  span.style.setProperty("--s", strength.toFixed(3));
  return span;
}

// shadedText returns the text with its shaded words, and the line that reads them out. name tells
// a screen reader what it is. how.take(i), if given, removes word i, from 0. how.at is the word
// that the keys have reached; how.read(i) is called when they move.
export function shadedText(a, how, name) {
  const words = a.pieces.map((piece) => piece.gone !== undefined ? gone(piece, how) : piece.word ? word(piece, how) : piece.text);
  const box = h("p", { class: "text", tabindex: "0", role: "group", "data-focus": "text", "aria-label": `${name}; the arrow keys go from word to word${how.take ? ", the Delete key removes the word" : ""}` }, ...words);
  const readout = h("output", { class: "readout", "aria-live": "polite" });
  reading(box, readout, a, how);
  return [box, readout];
}

function word(piece, how) {
  return shaded(h("span", { class: "word" + (piece.unknown ? " unknown" : "") + (piece.says < 0 ? " against" : "") + (how.word === String(piece.word) ? " looking" : ""), "data-word": piece.word, translate: "no" }, piece.text), piece.strength || 0);
}

// gone is a removed word.
function gone(piece, how) {
  return h("button", { type: "button", class: "gone", translate: "no", title: "put it back", "data-focus": "text", "aria-label": `put back ${piece.text}`, onclick: () => how.back(piece.gone) }, piece.text);
}

// reading reads the words out one by one, by mouse and by the arrow keys; of self-attention it asks
// for the attention of a word.
function reading(box, readout, a, how) {
  const spans = [...box.querySelectorAll(".word")];
  const pieces = a.pieces.filter((piece) => piece.word);
  let at = how.at ?? -1;
  const go = (i) => {
    spans[at]?.classList.remove("read");
    at = i;
    spans[at]?.classList.add("read");
    const p = pieces[at], x = p?.says || 0;
    readout.textContent = !p ? "" : `word ${p.word}: ${visible(p.text)}` + (a.explained ? `, ${signed(x)} ${toward(a.explained, x)}` : a.scored ? `, ${scoreOf(a.scored, x)}${a.scored.signed ? ` ${toward(a.scored, x)}` : ""}` : a.attention || a.aligned ? `, ${percent(p.weight || 0)}` : "") + (p.unknown ? ", unknown to the model" : "");
  };
  const look = (i) => a.attention && a.heads.length > 0 && i >= 0 && how.ask({ word: String(pieces[i].word), layer: String(how.layer || a.heads.length) });
  box.addEventListener("pointerover", (event) => { // between words nothing changes
    if (spans.includes(event.target)) go(spans.indexOf(event.target));
  });
  box.addEventListener("pointerleave", () => go(-1));
  box.addEventListener("click", (event) => {
    const i = spans.indexOf(event.target);
    if (how.take && !event.shiftKey && !how.looking && i >= 0) how.take(i);
    else look(i);
  });
  box.addEventListener("focus", () => go(Math.min(at, spans.length - 1))); // after a redraw it continues at the same word
  box.addEventListener("keydown", (event) => {
    if (event.target !== box || event.altKey || event.ctrlKey || event.metaKey) return; // the browser's
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: spans.length - 1 }[event.key];
    if (to !== undefined) {
      go(Math.max(0, Math.min(spans.length - 1, to)));
      how.read?.(at);
    } else if (event.key === "Enter") look(at);
    else if (how.take && at >= 0 && (event.key === "Delete" || event.key === "Backspace")) how.take(at);
    else return;
    event.preventDefault();
  });
}
