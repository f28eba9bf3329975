// The answer of a run that translates: the translation, the alignment, and the steps of
// each word.

import { h } from "./dom.js";
import { percent, scale, shadedText } from "./text.js";
import { grid, strength } from "./matrix.js";
import { bar, table } from "./steps.js";

const end = "(end)";

// translation returns the elements of the answer. how.word is the chosen step, from 1; more are
// other views, lacks says what could not be answered.
export function translation(a, how, more, lacks) {
  const t = a.translation, written = [...t.words, end];
  const at = Number(how.word) >= 1 && Number(how.word) <= written.length ? Number(how.word) - 1 : t.steps.length > 0 ? 0 : -1;
  return [writing(t, written, at, how), ...source(a, written, at, how), more, ...lacks, t.steps.length > 0 ? steps(t, at, how) : null, alignment(t)].filter(Boolean);
}

// writing is the translation; each word is a button that chooses its step.
function writing(t, written, at, how) {
  const words = written.map((w, i) => h("button", {
    type: "button", "aria-pressed": String(i === at), "data-focus": `word${i}`, class: w === end && i === written.length - 1 ? "end" : null,
    onclick: () => how.ask({ word: i === at ? "" : String(i + 1) }),
  }, w));
  const was = how.before?.translation.words.join(" ");
  return h("div", {}, h("p", { class: "translated", lang: how.lang, role: "group", translate: "no", "aria-label": "the translation; press a word to see its attention" }, ...words),
    was !== undefined && was !== t.words.join(" ") ? h("p", { class: "hint" }, `with all words: ${was}`) : null,
    how.reference && how.reference !== t.words.join(" ") ? h("p", { class: "hint" }, `reference: ${how.reference}`) : null);
}

// source is the sentence, shaded by the attention of the chosen word.
function source(a, written, at, how) {
  const x = a.translation.alignment;
  const row = at >= 0 && x ? x.weights[at] : null;
  const pieces = a.pieces.map((p) => p.word && row ? { ...p, weight: row[p.word - 1], strength: strength(row[p.word - 1], row.length) } : p);
  const [box, readout] = shadedText({ ...a, pieces, aligned: row !== null }, { ...how, word: "" }, row ? `the source, shaded by the attention of ${written[at]}` : "the source");
  const what = row ? `Shaded: the attention of “${written[at]}” (${x.what}).` : x ? "Press a word of the translation to see its attention." : "";
  return [what ? h("p", { class: "what" }, what) : null, row ? scale(false) : null, box, readout,
    a.unknown > 0 ? h("p", { class: "hint" }, "Underlined: words that the model does not know.") : null];
}

// alignment is the attention to the source, with its numbers.
function alignment(t) {
  const x = t.alignment;
  if (!x) return h("p", {}, "The model has no attention: its decoder gets the sentence as one vector.");
  return h("div", { class: "steps" }, h("h3", {}, "Alignment"), h("p", {}, `Each row is a word of the translation and its attention to the source: ${x.what}. Down translation, across source; each row adds up to one.`), grid(x.rows, x.columns, x.weights, true));
}

// steps are the words that one step chose from.
function steps(t, at, how) {
  const s = t.steps[at], most = Math.max(...s.next.map((w) => w.p)), wrote = [...t.words, end];
  const number = (n) => n.toLocaleString("en").replace(/,/g, "\u00a0");
  const go = (i, name) => h("button", { type: "button", disabled: i < 0 || i >= t.steps.length, "data-focus": name, onclick: () => how.ask({ word: String(i + 1) }) }, name);
  return h("div", { class: "steps" }, h("h3", {}, "Step by step"),
    h("div", { class: "bar more", role: "group", "aria-label": "words" }, go(at - 1, "Previous word"), go(at + 1, "Next word"),
      h("span", {}, `Word ${at + 1} of ${t.steps.length}: reads ${wrote[at - 1] ?? "(begin)"}, writes ${wrote[at]}`)),
    table(["word", "rank", "probability", ""], s.next.map((w) => [w.word + (w.written ? " (written)" : ""), String(w.rank), percent(w.p), bar(w.p / most)]),
      [[`${number(s.otherWords)} others`, "", percent(s.others), ""]]));
}
