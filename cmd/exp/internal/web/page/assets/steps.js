// The numbers behind the attention, one step after the other.

import { h } from "./dom.js";

let open = 0; // the step that is shown

const digits = (x) => x.toFixed(4).replace(/^-(0\.0+)$/, "$1").replace("-", "−");

const subscript = (n) => String(n).replace(/\d/g, (d) => "₀₁₂₃₄₅₆₇₈₉"[d]);

// table has a row for each of the words.
export function table(heads, rows, foot) {
  const row = (translate) => (cells) => h("tr", {}, ...cells.map((c, i) => i === 0 ? h("th", { scope: "row", translate }, c) : c instanceof Node ? h("td", { class: "shares" }, c) : h("td", { class: "number" }, c)));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "numbers of this step" }, h("table", { "aria-label": "numbers of this step" },
    h("thead", {}, h("tr", {}, ...heads.map((name, i) => name ? h("th", { scope: "col", class: i ? "number" : "" }, name) : h("td", {})))),
    h("tbody", {}, ...rows.map(row("no"))), foot ? h("tfoot", {}, ...foot.map(row(null))) : null));
}

export function bar(share, against) {
  const i = h("i", { class: "share" + (against ? " against" : "") });
  i.style.setProperty("--p", share);
  return i;
}

// signedBar starts at a zero line in the middle: to the right if x > 0, to the left if x < 0.
export const signedBar = (x) => h("i", { class: "signed" }, bar(Math.abs(x), x < 0));

// byScore are the places of the words, those with the largest score first.
const byScore = (t) => t.scaled.map((_, i) => i).sort((i, j) => t.scaled[j] - t.scaled[i]);

const shown = 3; // numbers of a vector

const vector = (x) => `[${x.slice(0, shown).map(digits).join(", ")}${x.length > shown ? ", …" : ""}]`;

function scores(t) {
  const most = Math.max(...t.scaled.map(Math.abs), 1e-9);
  return [
    h("p", {}, `${t.from.charAt(0).toUpperCase() + t.from.slice(1)}: ${vector(t.query)} (${t.query.length} numbers in all). ` + (t.additive ? "Score = v·tanh(query + key of the word)." : "Score = query · key of the word.") +
      (t.scale === 1 ? " This model does not scale it." : ` Scaled = score × ${t.scale.toFixed(4)}, 1/√${(1 / (t.scale * t.scale)).toFixed(0)}.`)),
    table(["word", "score", "scaled", ""], byScore(t).map((i) => [t.words[i], digits(t.scores[i]), digits(t.scaled[i]), signedBar(t.scaled[i] / most)])),
  ];
}

const title = (t) => t.by.charAt(0).toUpperCase() + t.by.slice(1);

function weights(t) {
  const most = Math.max(...t.weights);
  return [
    h("p", {}, t.over ? "Weight: the softmax over the queries (slip.softmax_queries), so the weights here need not add up to one." : `Weight = ${t.formula}. The weights add up to one; an equal share is ${digits(1 / t.words.length)}.`),
    table(["word", "scaled", "weight", ""], byScore(t).map((i) => [t.words[i], digits(t.scaled[i]), digits(t.weights[i]), bar(t.weights[i] / most)]),
      [["sum", "", digits(t.weights.reduce((a, b) => a + b, 0)), ""]]),
  ];
}

function values(t) {
  if (!t.values) return [h("p", {}, "The model has no values to add up.")];
  const n = Math.min(shown, t.sum.length), numbers = Array.from({ length: n }, (_, j) => j);
  return [
    h("p", {}, `Each word's value v is multiplied by its weight; the sum is the output. These are the first ${n} of its ${t.sum.length} numbers.`),
    table(["word", "weight", ...numbers.map((j) => "v" + subscript(j + 1)), ...numbers.map((j) => "weight·v" + subscript(j + 1))],
      t.words.map((w, i) => [w, digits(t.weights[i]), ...numbers.map((j) => digits(t.values[i][j])), ...numbers.map((j) => digits(t.weights[i] * t.values[i][j]))]),
      [["sum", digits(t.weights.reduce((a, b) => a + b, 0)), ...numbers.map(() => ""), ...numbers.map((j) => digits(t.sum[j]))]]),
  ];
}

function logits(t, a) {
  const out = [];
  if (t.adds && a.classes.length <= 6) {
    out.push(h("p", {}, "The classifier is linear: each word adds W·(weight·v) to the logits."),
      table(["word", ...a.classes], t.words.map((w, i) => [w, ...t.adds[i].map(digits)]), [["bias", ...t.bias.map(digits)], ["logit", ...t.logits.map(digits)]]));
  } else {
    out.push(h("p", {}, "The layers after the sum are not linear, so the logits are not a sum over the words."));
  }
  out.push(h("p", {}, (t.slip ? `The logits pass through ${t.slip}. ` : "") + "Their softmax gives the probabilities. The network computes in single precision, this table in double precision."),
    table(["class", "logit", "the network's", "probability", ""], a.classes.map((c, i) => [c, digits(t.logits[i]), digits(t.network[i]), `${(100 * a.p[i]).toFixed(1)}\u00a0%`, bar(a.p[i])])));
  return out;
}

// steps shows one step after the other.
export function steps(a) {
  const t = a.steps, parts = [["Scores", scores(t)], [title(t), weights(t)], ["Weighted values", values(t)], ["Logits", logits(t, a)]];
  const bodies = parts.map(([name, elements]) => h("section", { class: "step" }, h("h4", {}, name), ...elements));
  const buttons = parts.map(([name], i) => h("button", { type: "button", "data-focus": `step${i}`, onclick: () => go(i) }, `${i + 1} ${name}`));
  const go = (i) => {
    open = i;
    buttons.forEach((b, k) => b.setAttribute("aria-pressed", String(k === i)));
    bodies.forEach((b, k) => b.classList.toggle("shut", k !== i));
  };
  go(open);
  return h("div", { class: "steps" }, h("h3", {}, "Step by step"), h("div", { class: "bar", role: "group", "aria-label": "steps" }, ...buttons), ...bodies);
}
