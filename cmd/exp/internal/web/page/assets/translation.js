// The answer of a run that translates: the best translations, the alignment, and the steps of
// each word.

import { h, options } from "./dom.js";
import { percent, scale, shadedText } from "./text.js";
import { grid, strength } from "./matrix.js";
import { bar, table } from "./steps.js";

const minus = (x, n) => x.toFixed(n).replace("-", "−");
const end = "(end)";

// translation returns the elements of the answer. how.word is the chosen step, from 1; more are
// other views, lacks says what could not be answered.
export function translation(a, how, more, lacks) {
  const t = a.translation, written = [...t.words, end];
  const at = Number(how.word) >= 1 && Number(how.word) <= written.length ? Number(how.word) - 1 : t.steps.length > 0 ? 0 : -1;
  return [writing(t, written, at, how), ...source(a, written, at, how), more, ...lacks, t.steps.length > 0 ? steps(t, at, how) : null, alignment(t, how), best(t, how)].filter(Boolean);
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

// best lists the translations that the search has found.
function best(t, how) {
  const choose = h("select", { "data-focus": "top", onchange: () => how.ask({ top: Number(choose.value) }) });
  options(choose, Array.from({ length: 10 }, (_, i) => [String(i + 1), String(i + 1)]), t.best.length);
  const wider = t.searched > t.beam ? ` This search has a beam of ${t.searched} instead of the run's ${t.beam}, so its first translation may differ from the run's.` : "";
  return h("div", { class: "steps" }, h("h3", {}, "The best translations"), h("div", { class: "bar more" }, h("label", {}, "How many ", choose)),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "the best translations" }, h("table", { class: "best", "aria-label": "the best translations" },
      h("thead", {}, h("tr", {}, ...["", "translation", "log p", "ranked by"].map((name, i) => name ? h("th", { scope: "col", class: i > 1 ? "number" : null }, name) : h("td", {})))),
      h("tbody", {}, ...t.best.map((c, i) => h("tr", {}, h("td", { class: "number" }, String(i + 1)), h("th", { scope: "row", translate: "no" }, c.words.join(" ")), h("td", { class: "number" }, minus(c.logprob, 3)), h("td", { class: "number" }, minus(c.rankedBy, 3))))))),
    h("p", { class: "hint" }, `log p is the log-probability of all words and the end, in nats. The search ranks by log p per word.${wider}`));
}

// source is the sentence, shaded by the attention of the chosen word.
function source(a, written, at, how) {
  const x = a.translation.alignment;
  const row = at >= 0 && x?.of === "source" ? x.weights[at] : null;
  const pieces = a.pieces.map((p) => p.word && row ? { ...p, weight: row[p.word - 1], strength: strength(row[p.word - 1], row.length) } : p);
  const [box, readout] = shadedText({ ...a, pieces, aligned: row !== null }, { ...how, word: "" }, row ? `the source, shaded by the attention of ${written[at]}` : "the source");
  const what = row ? `Shaded: the attention of “${written[at]}” (${x.what}).` : x?.of === "source" ? "Press a word of the translation to see its attention." : "";
  return [what ? h("p", { class: "what" }, what) : null, row ? scale(false) : null, box, readout,
    a.unknown > 0 ? h("p", { class: "hint" }, "Underlined: words that the model does not know.") : null];
}

const names = { source: "to the source", encoder: "within the source (encoder)", decoder: "within the translation (decoder)" };

// alignment is the whole of an attention, with its numbers.
function alignment(t, how) {
  const x = t.alignment;
  if (!x) return h("p", {}, "The model has no attention: its decoder gets the sentence as one vector.");
  const choose = h("select", { "data-focus": "of", onchange: () => how.ask({ of: choose.value, layer: "", head: "" }) });
  options(choose, t.attentions.map((of) => [of, names[of]]), x.of);
  return h("div", { class: "steps" }, h("h3", {}, "Alignment"), t.attentions.length > 1 ? h("div", { class: "bar more" }, h("label", {}, "Attention ", choose)) : null,
    h("p", {}, `${x.key}: ${x.what}. Down ${x.down}, across ${x.across}; each row adds up to one.`), grid(x.rows, x.columns, x.weights, true));
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
