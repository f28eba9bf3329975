// The answer of a run about a text: its prediction, the shaded words, and the numbers behind them.

import { h, options, visible } from "./dom.js";
import { percent, scale, scoreOf, shadedText, shades, signed, toward } from "./text.js";
import { signedBar, steps } from "./steps.js";
import { matrix } from "./matrix.js";
import { translation } from "./translation.js";

// wordsOf says how many words an answer is about.
export function wordsOf(a) {
  const count = a.unread > 0 ? `the first ${a.words} of ${a.words + a.unread} words (data.max_len)` : `${a.words} ${a.words === 1 ? "word" : "words"}`;
  return count + (a.unknown > 0 ? `, ${a.unknown} of them unknown to the model` : "");
}

// said is a prediction, or a translation, in a sentence.
export function said(a) {
  if (a.translation) return `Translated: ${visible(a.translation.words.join(" "))}; ${wordsOf(a)}.`;
  return `Predicted: ${visible(a.classes[a.class])} (${percent(a.p[a.class])}); ${wordsOf(a)}.`;
}

// show returns the elements of an answer. how is the question: layer, word, by, steps, matrix and flip.
// how.ask(changes) asks again; how.take(i) removes word i, from 0, from the text; how.before is
// the answer about the whole text.
export function show(a, how) {
  if (a.translation) return translation(a, how, more(a, how), a.lacks.map(note));
  const seen = attention(a, how), list = seen.pop(); // the long list of words comes last
  return [probabilities(a, how.before?.p), more(a, how), ...a.lacks.map(note), a.flip ? h("p", { class: "note" }, a.flip) : null, ...seen,
    a.steps ? steps(a, how) : null, a.matrix ? matrix(a.matrix, a.heads) : null, list].filter(Boolean);
}

const note = (why) => h("p", { class: "note" }, sentence(why));

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + ".";

// put shows elements in a box. The focus stays where it was, or goes to the text.
export function put(box, elements) {
  const had = box.contains(document.activeElement), at = document.activeElement?.dataset.focus;
  box.replaceChildren(...elements);
  if (!had) return;
  if (at) box.querySelector(`[data-focus="${at}"]`)?.focus();
  if (!box.contains(document.activeElement)) box.querySelector(".text")?.focus();
}

// more offers other views of the answer.
function more(a, how) {
  const toggle = (name, text) => h("button", {
    type: "button", "aria-pressed": String(Boolean(how[name])), "data-focus": name, onclick: () => how.ask({ [name]: !how[name] }),
  }, text);
  return h("div", { class: "bar more" }, (a.scores ?? []).length > 0 ? shadeBy(a, how) : null, a.attention || a.translation ? toggle("steps", "Step by step") : null,
    a.attention && a.heads.length > 0 ? toggle("matrix", "All words at once") : null, a.translation ? null : toggle("flip", "Change the answer"));
}

// shadeBy chooses the score by which words are shaded.
function shadeBy(a, how) {
  const select = h("select", { "data-focus": "by", onchange: () => how.ask({ by: select.value }) });
  options(select, [["", a.attention ? "attention" : a.counts ? "its n-grams" : "nothing"], ...a.scores.map((s) => [s.name, s.title])], how.by);
  return h("label", {}, "Shade words by ", select);
}

// probabilities shows up to five classes in the order of the data set; of more, the most probable.
function probabilities(a, before) {
  const classes = a.p.map((_, i) => i), order = a.p.length <= 5 ? classes : classes.sort((i, j) => a.p[j] - a.p[i]).slice(0, 10);
  return h("table", { class: "classes" }, h("caption", { class: "unseen" }, "probability of each class"), h("tbody", {}, ...order.map((i) => {
    const bar = h("i", { class: "share" });
    bar.style.setProperty("--p", a.p[i]);
    const by = before ? a.p[i] - before[i] : 0;
    return h("tr", { class: i === a.class ? "predicted" : null }, h("th", { scope: "row", translate: "no" }, a.classes[i]), h("td", { class: "number" }, percent(a.p[i])),
      before ? h("td", { class: "number by" }, points(by)) : null, h("td", { class: "shares" }, bar));
  })));
}

// points is by how much a probability has moved.
function points(by) {
  const size = (100 * Math.abs(by)).toFixed(1);
  return `${size === "0.0" ? "±" : by < 0 ? "−" : "+"}${size} points`;
}

function attention(a, how) {
  const by = a.explained ? "its n-grams" : a.scored ? a.scored.title : "attention";
  const [box, readout] = shadedText(a, how, `the text, shaded by ${by}`);
  if (a.explained) return explained(a.explained, box, readout);
  if (a.scored) return scored(a, box, readout);
  if (!a.attention) return [h("p", {}, "The model has no attention."), box, readout];
  const t = a.attention, even = t.choices > 1 ? t.entropy / Math.log(t.choices) : 0;
  const share = t.choices > 1 ? `, ${percent(even)} of the largest possible` : "";
  const rest = [t.cls > 0 ? `${percent(t.cls)} falls on [CLS]` : "", t.padding > 0 ? `${percent(t.padding)} on padding` : ""].filter(Boolean).join(", ");
  return [
    h("p", { class: "what" }, `Shaded: ${t.what}. Entropy ${t.entropy.toFixed(2)} nats${share}: as if spread evenly over ${Math.exp(t.entropy).toFixed(1)} words.${rest ? ` ${rest}.` : ""} `,
      even > 0.9 ? h("strong", {}, "The attention is almost even: no word stands out.") : null),
    scale(a.unknown > 0), ...looks(a, how), box, readout, largest(a),
  ];
}

// explained shows a score as the sum that it is.
function explained(e, box, readout) {
  return [
    h("p", { class: "what" }, `Shaded: what the n-grams of each word add to the score, divided evenly among their words. ${e.count} n-grams and a bias of ${signed(e.bias)} add up to ${signed(e.score)}, ${toward(e, e.score)}.`),
    twoScales(e), box, readout, says("n-gram", e, e.terms),
  ];
}

// scored shows a score of the words.
function scored(a, box, readout) {
  const t = a.scored, most = a.pieces.filter((p) => p.word).sort((p, q) => Math.abs(q.says || 0) - Math.abs(p.says || 0)).slice(0, 10);
  const about = t.signed ? ` Here the class is ${t.above}; the words add up to ${scoreOf(t, t.sum)}${t.points > 0 ? `, ${(100 * t.off).toPrecision(2)}\u00a0% off the change of the margin that they should add up to, with ${t.points} points` : ""}.` : "";
  const estimated = t.asked > 0 ? ` Estimated from ${t.asked} random texts; the 95\u00a0% intervals are ±\u00a0${t.within.toPrecision(2)} on average.` : "";
  return [
    h("p", { class: "what" }, `Shaded: ${t.title}. ${t.says}${about}${estimated}`),
    t.signed ? twoScales(t) : scale(a.unknown > 0, "Score"), box, readout, t.signed
      ? says("word", t, most.map((p) => ({ name: p.text, sum: p.says || 0 })), (x) => scoreOf(t, x))
      : ranked("largest scores", ["word", "place", "score"], most.map((p) => [p.text, p.word, scoreOf(t, p.says || 0), p.says || 0])),
  ];
}

function twoScales(e) {
  return h("p", { class: "hint scale" }, "Size, × an equal share: ", h("span", { class: "side" }, ...shades(""), toward(e, 1)), " ", h("span", { class: "side" }, ...shades(" against"), toward(e, -1)));
}

function says(what, e, terms, number = signed) {
  const most = Math.abs(terms[0]?.sum || 1);
  return h("table", { class: "largest" }, h("caption", { class: "unseen" }, `what the ${terms.length} largest add`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, what), h("th", { scope: "col", class: "number" }, "adds"), h("th", { scope: "col" }, "direction"), h("td", {}))),
    h("tbody", {}, ...terms.map((t) => {
      const bar = signedBar(t.sum / most);
      return h("tr", {}, h("th", { scope: "row", translate: "no" }, t.name), h("td", { class: "number" }, number(t.sum)), h("td", {}, toward(e, t.sum)), h("td", { class: "shares" }, bar));
    })));
}

// looks says how to see the attention of another word.
function looks(a, how) {
  if (a.heads.length === 0) return [];
  const every = h("button", { type: "button", onclick: () => how.ask({ word: "", every: true }) }, a.cls ? "Whole text" : "All words");
  const touch = how.take ? h("button", { type: "button", "data-focus": "looking", "aria-pressed": String(Boolean(how.looking)), onclick: () => how.ask({ looking: !how.looking }) }, "Click to see attention") : null;
  const click = how.take && !how.looking ? "Press Enter, or Shift and click, on a word to see its attention. " : "Press Enter or click on a word to see its attention. ";
  return [h("p", { class: "hint" }, click, touch, how.word ? every : null,
    a.cls ? h("button", { type: "button", "data-focus": "cls", onclick: () => how.ask({ word: "[CLS]", layer: String(how.layer || a.heads.length) }) }, "[CLS]") : null)];
}

// largest lists the ten words with the largest weights above 0.
function largest(a) {
  const top = a.pieces.filter((p) => p.word && p.weight > 0).sort((p, q) => q.weight - p.weight).slice(0, 10);
  return ranked("largest weights", ["most attended", "place", "weight"], top.map((p) => [p.text, p.word, percent(p.weight), p.weight]));
}

// ranked is a table of words, each with its place, its number, and a bar as long as the number.
function ranked(what, heads, list) {
  const rows = list.map(([text, place, number, size]) => {
    const bar = h("i", { class: "share" });
    bar.style.setProperty("--p", size / (list[0][3] || 1));
    return h("tr", {}, h("th", { scope: "row", translate: "no" }, text), h("td", { class: "number" }, String(place)), h("td", { class: "number" }, number), h("td", { class: "shares" }, bar));
  });
  return h("table", { class: "largest" }, h("caption", { class: "unseen" }, `the words with the ${what}`),
    h("thead", {}, h("tr", {}, ...heads.map((name, i) => h("th", { scope: "col", class: i ? "number" : null }, name)), h("td", {}))),
    h("tbody", {}, ...rows));
}
