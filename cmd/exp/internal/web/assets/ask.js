// A text is put to a run: its prediction, and the words shaded by attention.

import { $, h, api, options, visible } from "./dom.js";
import { state, set, onChange } from "./state.js";
import { all, label } from "./runs.js";

const example = "I expected a great film , and the actors are wonderful . But the story is a mess , the dialogue is awful , and in the end it is not worth your time .";

let asking = null; // AbortController of the question under way
let timer = 0;

// update renews the list of runs that can be asked. Where all runs translate, which
// is no question about a review, there is nothing to ask.
export function update() {
  const able = all().filter((r) => r.epoch > 0 && r.state !== "damaged" && !r.translates);
  $("ask-box").hidden = all().length > 0 && all().every((r) => r.translates);
  const done = able.filter((r) => r.state === "finished");
  const rest = able.filter((r) => r.state !== "finished");
  options($("model"), [...done.map((r) => [r.key, text(r)]), ...rest.map((r) => [r.key, `${text(r)} (${r.state})`])], state.model);
  if (state.model && $("model").value !== state.model && able.some((r) => r.key === state.model)) $("model").value = state.model;
  $("go").disabled = able.length === 0;
}

const text = (r) => [label(r), ...r.cells.slice(1, 4).map((c) => c.text).filter(Boolean)].join(" ") + `, seed ${r.cells[4].text}`;

async function predict() {
  clearTimeout(timer);
  asking?.abort();
  const run = $("model").value;
  if (!state.text.trim() || !run) {
    $("answer").replaceChildren();
    $("said").textContent = "";
    return;
  }
  asking = new AbortController();
  const { signal } = asking;
  $("answer").setAttribute("aria-busy", "true");
  try {
    const question = { run, text: state.text, layer: Number(state.layer), head: Number(state.head), word: state.word };
    const answer = await api("/api/predict", {}, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal,
    });
    show(answer);
  } catch (error) {
    if (signal.aborted) return;
    $("answer").replaceChildren();
    $("said").textContent = visible(error.message);
  }
  $("answer").removeAttribute("aria-busy");
}

const percent = (p) => `${(100 * p).toFixed(1)}\u00a0%`;

function show(a) {
  const name = a.classes[a.class];
  const unknown = a.unknown > 0 ? `, ${a.unknown} of them unknown to the model` : "";
  $("said").textContent = `Predicted: ${visible(name)} (${percent(a.p[a.class])}); ${a.words} ${a.words === 1 ? "word" : "words"}${unknown}.`;
  choices(a);
  $("answer").replaceChildren(...[probabilities(a), ...attention(a)]);
}

// choices offers the layers and heads of the model.
function choices(a) {
  $("layer-box").hidden = a.heads.length === 0;
  if (a.heads.length === 0) return;
  const layers = a.heads.map((_, i) => [String(i + 1), String(i + 1)]);
  options($("layer"), [["", "default"], ...layers], state.layer);
  const heads = a.heads[(Number(state.layer) || a.heads.length) - 1];
  options($("head"), [["", heads > 1 ? `mean of ${heads}` : "1"], ...(heads > 1 ? Array.from({ length: heads }, (_, i) => [String(i + 1), String(i + 1)]) : [])], state.head);
}

function probabilities(a) {
  const order = a.p.map((_, i) => i).sort((i, j) => a.p[j] - a.p[i]).slice(0, 10);
  return h("table", { class: "classes" }, h("caption", { class: "unseen" }, "probability of each class"), h("tbody", {}, ...order.map((i) => {
    const bar = h("i", { class: "share" });
    bar.style.setProperty("--p", a.p[i]);
    return h("tr", {}, h("th", { scope: "row" }, a.classes[i]), h("td", { class: "number" }, percent(a.p[i])), h("td", { class: "shares" }, bar));
  })));
}

function attention(a) {
  const words = a.pieces.map((piece) => piece.word ? word(piece) : piece.text);
  const box = h("p", { class: "text", tabindex: "0", role: "group", "aria-label": `the text, shaded by ${a.explained ? "what its n-grams say" : "attention"}; the arrow keys go from word to word` }, ...words);
  const readout = h("output", { class: "readout", "aria-live": "polite" });
  reading(box, readout, a);
  if (a.explained) return explained(a.explained, box, readout);
  if (!a.attention) return [h("p", {}, "The model has no attention."), box, readout];
  const t = a.attention;
  const share = t.share === null ? "" : `, ${percent(t.share)} of the largest possible`;
  const rest = [t.cls > 0 ? `${percent(t.cls)} falls on [CLS]` : "", t.padding > 0 ? `${percent(t.padding)} on padding` : ""].filter(Boolean).join(", ");
  return [
    h("p", { class: "what" }, `Shaded: ${t.what}. Entropy ${t.entropy.toFixed(2)} nats${share}: as if over ${t.effective.toFixed(1)} words alike.${rest ? ` ${rest}.` : ""}`),
    scale(t.scale, a.unknown > 0), ...looks(a), box, readout, largest(a),
  ];
}

// signed writes a part of a score with its sign.
const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(3);

// toward says to which class a part of a score pushes.
const toward = (e, x) => x >= 0 ? `to ${e.above}` : e.below ? `to ${e.below}` : `away from ${e.above}`;

// explained shows a score as the sum that it is.
function explained(e, box, readout) {
  const most = Math.abs(e.terms[0]?.sum || 1);
  const rows = e.terms.map((t) => {
    const bar = h("i", { class: "share" + (t.sum < 0 ? " against" : "") });
    bar.style.setProperty("--p", Math.abs(t.sum) / most);
    return h("tr", {}, h("th", { scope: "row" }, t.name), h("td", { class: "number" }, signed(t.sum)), h("td", {}, toward(e, t.sum)), h("td", { class: "shares" }, bar));
  });
  return [
    h("p", { class: "what" }, `Shaded: what the n-grams of each word say, each divided evenly among its words. ${e.count} of them and a bias of ${signed(e.bias)} come to ${signed(e.score)}, which is ${toward(e, e.score)}.`),
    h("p", { class: "hint scale" }, "× equal share: ", ...shades(e.scale, ""), `${toward(e, 1)} `, ...shades(e.scale, " against"), toward(e, -1)), box, readout,
    h("table", { class: "largest" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "n-gram"), h("th", { scope: "col", class: "number" }, "says"), h("th", { scope: "col" }, "pushes"), h("th", {}))),
      h("tbody", {}, ...rows)),
  ];
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
function looks(a) {
  if (a.heads.length === 0) return [];
  const every = h("button", { type: "button", onclick: () => ask({ word: "" }) }, a.cls ? "Whole text" : "Every word");
  return [h("p", { class: "hint" }, "Enter or a click on a word shows what it looks at. ", state.word ? every : null,
    a.cls ? h("button", { type: "button", onclick: () => ask({ word: "[CLS]", layer: String(state.layer || a.heads.length) }) }, "[CLS]") : null)];
}

function word(piece) {
  return shaded(h("span", { class: "word" + (piece.unknown ? " unknown" : "") + (piece.says < 0 ? " against" : "") + (state.word === String(piece.word) ? " looking" : ""), "data-word": piece.word }, piece.text), piece.strength || 0);
}

// reading makes the words readable one by one, by mouse and by the arrow keys, and
// of self-attention lets one ask what a word looks at.
function reading(box, readout, a) {
  const spans = [...box.querySelectorAll(".word")];
  const pieces = a.pieces.filter((piece) => piece.word);
  let at = -1;
  const go = (i) => {
    spans[at]?.classList.remove("read");
    at = i;
    spans[at]?.classList.add("read");
    const p = pieces[at];
    readout.textContent = !p ? "" : `word ${p.word}: ${visible(p.text)}` + (a.attention ? `, ${percent(p.weight || 0)}` : "") + (a.explained ? `, ${signed(p.says || 0)} ${toward(a.explained, p.says || 0)}` : "") + (p.unknown ? ", unknown to the model" : "");
  };
  const look = (i) => a.heads.length > 0 && i >= 0 && ask({ word: String(pieces[i].word), layer: String(state.layer || a.heads.length) });
  box.addEventListener("pointerover", (event) => go(spans.indexOf(event.target)));
  box.addEventListener("pointerleave", () => go(-1));
  box.addEventListener("click", (event) => look(spans.indexOf(event.target)));
  box.addEventListener("keydown", (event) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: spans.length - 1 }[event.key];
    if (to !== undefined) go(Math.max(0, Math.min(spans.length - 1, to)));
    else if (event.key === "Enter") look(at);
    else return;
    event.preventDefault();
  });
}

function ask(changes) {
  set(changes);
  predict().then(() => $("answer").querySelector(".text")?.focus());
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
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "most attended"), h("th", { scope: "col", class: "number" }, "place"), h("th", { scope: "col", class: "number" }, "weight"), h("th", {}))),
    h("tbody", {}, ...rows));
}

export function start() {
  const box = $("text");
  box.value = state.text;
  box.addEventListener("input", () => {
    set({ text: box.value, word: "" });
    clearTimeout(timer);
    timer = setTimeout(predict, 700);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) predict();
  });
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    predict();
  });
  $("example").addEventListener("click", () => {
    box.value = example;
    set({ text: example, word: "" });
    predict();
  });
  $("model").addEventListener("change", () => {
    set({ model: $("model").value, layer: "", head: "", word: "" });
    predict();
  });
  $("layer").addEventListener("change", () => {
    set({ layer: $("layer").value, head: "", word: $("layer").value ? state.word : "" });
    predict();
  });
  $("head").addEventListener("change", () => {
    set({ head: $("head").value, layer: state.layer || $("layer").options[$("layer").options.length - 1].value });
    predict();
  });
  onChange(["text"], () => {
    if (box.value !== state.text) { // from a link
      box.value = state.text;
      predict();
    }
  });
}

// restore asks again what a link says was asked.
export function restore() {
  if (state.text) predict();
}
