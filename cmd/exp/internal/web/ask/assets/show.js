// What a run makes of a text: its prediction, the words shaded, and the numbers behind.

import { h, visible } from "./dom.js";
import { steps } from "./steps.js";
import { matrix } from "./matrix.js";

export const percent = (p) => `${(100 * p).toFixed(1)}\u00a0%`;

// said is a prediction in a sentence.
export function said(a) {
  const name = a.classes[a.class];
  const unknown = a.unknown > 0 ? `, ${a.unknown} of them unknown to the model` : "";
  return `Predicted: ${visible(name)} (${percent(a.p[a.class])}); ${a.words} ${a.words === 1 ? "word" : "words"}${unknown}.`;
}

// show returns what is shown of an answer. how says what was asked: layer, word, pushes,
// steps and matrix; how.ask(changes) asks anew; how.take(i), where there is one, takes
// word i, from 0, out of the text; how.before are probabilities to compare with.
export function show(a, how) {
  return [probabilities(a, how.before), more(a, how), ...a.lacks.map((why) => h("p", { class: "note" }, sentence(why))), ...attention(a, how),
    a.steps ? steps(a, how) : null, a.matrix ? matrix(a.matrix) : null].filter(Boolean);
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + ".";

// put shows elements in a box; the focus stays where it was.
export function put(box, elements) {
  const at = box.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  box.replaceChildren(...elements);
  if (at) box.querySelector(`[data-focus="${at}"]`)?.focus();
}

// more offers what can be asked for besides.
function more(a, how) {
  const toggle = (name, text) => h("button", {
    type: "button", "aria-pressed": String(Boolean(how[name])), "data-focus": name, onclick: () => how.ask({ [name]: !how[name] }),
  }, text);
  return h("div", { class: "bar more" }, a.explained ? null : toggle("pushes", "What each word pushes to"),
    a.attention ? toggle("steps", "Step by step") : null, a.heads.length > 0 ? toggle("matrix", "All words at once") : null);
}

function probabilities(a, before) {
  const order = a.p.map((_, i) => i).sort((i, j) => a.p[j] - a.p[i]).slice(0, 10);
  return h("table", { class: "classes" }, h("caption", { class: "unseen" }, "probability of each class"), h("tbody", {}, ...order.map((i) => {
    const bar = h("i", { class: "share" });
    bar.style.setProperty("--p", a.p[i]);
    const by = before ? a.p[i] - before[i] : 0;
    return h("tr", {}, h("th", { scope: "row" }, a.classes[i]), h("td", { class: "number" }, percent(a.p[i])),
      before ? h("td", { class: "number by" }, points(by)) : null, h("td", { class: "shares" }, bar));
  })));
}

// points is by how much a probability has moved.
function points(by) {
  const size = (100 * Math.abs(by)).toFixed(1);
  return `${size === "0.0" ? "±" : by < 0 ? "−" : "+"}${size} points`;
}

function attention(a, how) {
  const words = a.pieces.map((piece) => piece.gone !== undefined ? gone(piece, how) : piece.word ? word(piece, how) : piece.text);
  const by = a.explained ? "what its n-grams say" : a.pushes ? "what each word pushes to" : "attention";
  const box = h("p", { class: "text", tabindex: "0", role: "group", "data-focus": "text", "aria-label": `the text, shaded by ${by}; the arrow keys go from word to word${how.take ? ", the Delete key takes the word away" : ""}` }, ...words);
  const readout = h("output", { class: "readout", "aria-live": "polite" });
  reading(box, readout, a, how);
  if (a.explained) return explained(a.explained, box, readout);
  if (a.pushes) return pushed(a, box, readout);
  if (!a.attention) return [h("p", {}, "The model has no attention."), box, readout];
  const t = a.attention;
  const share = t.share === null ? "" : `, ${percent(t.share)} of the largest possible`;
  const rest = [t.cls > 0 ? `${percent(t.cls)} falls on [CLS]` : "", t.padding > 0 ? `${percent(t.padding)} on padding` : ""].filter(Boolean).join(", ");
  return [
    h("p", { class: "what" }, `Shaded: ${t.what}. Entropy ${t.entropy.toFixed(2)} nats${share}: as if over ${t.effective.toFixed(1)} words alike.${rest ? ` ${rest}.` : ""}`),
    scale(t.scale, a.unknown > 0), ...looks(a, how), box, readout, largest(a),
  ];
}

// signed writes a part of a score with its sign.
const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(3);

// toward says to which class a part of a score pushes.
const toward = (e, x) => x >= 0 ? `to ${e.above}` : e.below ? `to ${e.below}` : `away from ${e.above}`;

// explained shows a score as the sum that it is.
function explained(e, box, readout) {
  return [
    h("p", { class: "what" }, `Shaded: what the n-grams of each word say, each divided evenly among its words. ${e.count} of them and a bias of ${signed(e.bias)} come to ${signed(e.score)}, which is ${toward(e, e.score)}.`),
    twoScales(e), box, readout, says("n-gram", e, e.terms),
  ];
}

// pushed shows by how much each word moves the prediction.
function pushed(a, box, readout) {
  const words = a.pieces.filter((p) => p.word).sort((p, q) => Math.abs(q.says || 0) - Math.abs(p.says || 0)).slice(0, 10);
  return [
    h("p", { class: "what" }, `Shaded: ${a.pushes.what} Here the class is ${a.pushes.above}; over all words that adds up to ${signed(a.pushes.sum)}.`),
    twoScales(a.pushes), box, readout, says("word", a.pushes, words.map((p) => ({ name: p.text, sum: p.says || 0 }))),
  ];
}

function twoScales(e) {
  return h("p", { class: "hint scale" }, "× equal share: ", ...shades(e.scale, ""), `${toward(e, 1)} `, ...shades(e.scale, " against"), toward(e, -1));
}

function says(what, e, terms) {
  const most = Math.abs(terms[0]?.sum || 1);
  return h("table", { class: "largest" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, what), h("th", { scope: "col", class: "number" }, "says"), h("th", { scope: "col" }, "pushes"), h("td", {}))),
    h("tbody", {}, ...terms.map((t) => {
      const bar = h("i", { class: "share" + (t.sum < 0 ? " against" : "") });
      bar.style.setProperty("--p", Math.abs(t.sum) / most);
      return h("tr", {}, h("th", { scope: "row" }, t.name), h("td", { class: "number" }, signed(t.sum)), h("td", {}, toward(e, t.sum)), h("td", { class: "shares" }, bar));
    })));
}

const shades = (list, more) => list.map(({ ratio, strength }) => shaded(h("span", { class: "word" + more }, String(ratio)), strength));

// scale says what the shades mean.
function scale(list, unknown) {
  return h("p", { class: "hint scale" }, "× equal share: ", ...shades(list, ""), unknown ? h("span", { class: "unknown" }, "no vector") : null);
}

function shaded(span, strength) {
  span.style.setProperty("--s", strength.toFixed(3));
  return span;
}

// looks says, for self-attention, how to see what one word looks at.
function looks(a, how) {
  if (a.heads.length === 0) return [];
  const every = h("button", { type: "button", onclick: () => how.ask({ word: "" }) }, a.cls ? "Whole text" : "Every word");
  const click = how.take ? "Enter, or a click with Shift held, on a word shows what it looks at. " : "Enter or a click on a word shows what it looks at. ";
  return [h("p", { class: "hint" }, click, how.word ? every : null,
    a.cls ? h("button", { type: "button", onclick: () => how.ask({ word: "[CLS]", layer: String(how.layer || a.heads.length) }) }, "[CLS]") : null)];
}

function word(piece, how) {
  return shaded(h("span", { class: "word" + (piece.unknown ? " unknown" : "") + (piece.says < 0 ? " against" : "") + (how.word === String(piece.word) ? " looking" : ""), "data-word": piece.word }, piece.text), piece.strength || 0);
}

// gone is a word that was taken out of the text.
function gone(piece, how) {
  return h("button", { type: "button", class: "gone", title: "put it back", "aria-label": `put back ${piece.text}`, onclick: () => how.back(piece.gone) }, piece.text);
}

// reading makes the words readable one by one, by mouse and by the arrow keys, and
// of self-attention lets one ask what a word looks at.
function reading(box, readout, a, how) {
  const spans = [...box.querySelectorAll(".word")];
  const pieces = a.pieces.filter((piece) => piece.word);
  let at = -1;
  const go = (i) => {
    spans[at]?.classList.remove("read");
    at = i;
    spans[at]?.classList.add("read");
    const p = pieces[at], score = a.explained || a.pushes;
    readout.textContent = !p ? "" : `word ${p.word}: ${visible(p.text)}` + (score ? `, ${signed(p.says || 0)} ${toward(score, p.says || 0)}` : a.attention ? `, ${percent(p.weight || 0)}` : "") + (p.unknown ? ", unknown to the model" : "");
  };
  const look = (i) => a.heads.length > 0 && i >= 0 && how.ask({ word: String(pieces[i].word), layer: String(how.layer || a.heads.length) });
  box.addEventListener("pointerover", (event) => { // a pointer between words leaves the one that the keys chose
    if (spans.includes(event.target)) go(spans.indexOf(event.target));
  });
  box.addEventListener("pointerleave", () => go(-1));
  box.addEventListener("click", (event) => {
    const i = spans.indexOf(event.target);
    if (how.take && !event.shiftKey && i >= 0) how.take(i);
    else look(i);
  });
  box.addEventListener("keydown", (event) => {
    if (event.target !== box) return;
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: spans.length - 1 }[event.key];
    if (to !== undefined) go(Math.max(0, Math.min(spans.length - 1, to)));
    else if (event.key === "Enter") look(at);
    else if (how.take && at >= 0 && (event.key === "Delete" || event.key === "Backspace")) how.take(at);
    else return;
    event.preventDefault();
  });
}

// largest lists the ten words with the largest weights.
function largest(a) {
  const top = a.pieces.filter((p) => p.word).sort((p, q) => (q.weight || 0) - (p.weight || 0)).slice(0, 10);
  const rows = top.map((p) => {
    const bar = h("i", { class: "share" });
    bar.style.setProperty("--p", (p.weight || 0) / (top[0].weight || 1));
    return h("tr", {}, h("th", { scope: "row" }, p.text), h("td", { class: "number" }, String(p.word)), h("td", { class: "number" }, percent(p.weight || 0)), h("td", { class: "shares" }, bar));
  });
  return h("table", { class: "largest" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "most attended"), h("th", { scope: "col", class: "number" }, "place"), h("th", { scope: "col", class: "number" }, "weight"), h("td", {}))),
    h("tbody", {}, ...rows));
}
