// A text is put to a run: its prediction, and the words shaded by attention; or its translation.

import { $, h, api, options, visible } from "./dom.js";
import { state, set, onChange } from "./state.js";
import { all, label } from "./runs.js";
import { put, said, show } from "./show.js";
import { trained } from "./training.js";

const examples = ["the red carpet", "I expected a great film , and the actors are wonderful . But the story is a mess , the dialogue is awful , and in the end it is not worth your time ."];

let asking = null; // AbortController of the question under way
let timer = 0;

// update renews the list of runs that can be asked.
export function update() {
  const able = all().filter((r) => r.epoch > 0 && r.state !== "damaged");
  const done = able.filter((r) => r.state === "finished");
  const rest = able.filter((r) => r.state !== "finished");
  const here = trained().map((r) => [r.key, `${r.label}, trained here, ${r.about}`]);
  options($("model"), [...done.map((r) => [r.key, text(r)]), ...rest.map((r) => [r.key, `${text(r)} (${r.state})`]), ...here], state.model);
  if (state.model && $("model").value !== state.model && [...able, ...trained()].some((r) => r.key === state.model)) $("model").value = state.model;
  $("go").disabled = able.length + here.length === 0;
  name();
}

const translates = () => Boolean(all().find((r) => r.key === $("model").value)?.translates);

// name says what the chosen run is asked for.
function name() {
  $("go").textContent = translates() ? "Translate" : "Predict";
  $("what").textContent = translates() ? "Sentence" : "Review";
  $("text").placeholder = translates() ? "Type a sentence" : "Type or paste a review";
}

const text = (r) => [label(r), ...r.cells.slice(1, 4).map((c) => c.text).filter(Boolean)].join(" ") + `, seed ${r.cells[4].text}`;

// choose asks a run from now on.
export function choose(key) {
  $("model").value = key;
  $("model").dispatchEvent(new Event("change"));
  $("text").focus();
}

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
    const question = { run, text: state.text, layer: Number(state.layer), head: Number(state.head), word: state.word, ...more };
    const answer = await api("/api/predict", {}, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal,
    });
    render(answer);
  } catch (error) {
    if (signal.aborted) return;
    $("answer").replaceChildren();
    $("said").textContent = visible(error.message);
  }
  $("answer").removeAttribute("aria-busy");
}

// more is what is asked for beside the prediction.
const more = { by: "", steps: false, matrix: false, top: 0, of: "" };

function render(a) {
  const here = trained().find((r) => r.key === a.run);
  $("cited-here").replaceChildren(...(here?.citation ? ["Trained here, ", here.about, ": ", h("code", {}, here.citation)] : []));
  $("said").textContent = said(a);
  choices(a);
  put($("answer"), show(a, { layer: state.layer, word: state.word, ...more, ask }));
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

// ask takes changes of the question: what is asked for besides, or where to look.
function ask(changes) {
  const look = {};
  for (const [name, value] of Object.entries(changes)) (name in more ? more : look)[name] = value;
  set(look);
  predict().then(() => Object.keys(look).length === 0 || $("answer").contains(document.activeElement) || $("answer").querySelector(".text")?.focus());
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
    box.value = examples[translates() ? 0 : 1];
    set({ text: box.value, word: "" });
    predict();
  });
  $("model").addEventListener("change", () => {
    set({ model: $("model").value, layer: "", head: "", word: "" });
    more.of = "";
    name();
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
