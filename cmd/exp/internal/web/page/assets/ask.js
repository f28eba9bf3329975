// A text is put to runs, side by side: their predictions, and the words shaded by attention;
// or their translations.

import { $, h, api, options } from "./dom.js";
import { state, set, onChange } from "./state.js";
import { all, label } from "./runs.js";
import { Answers } from "./answers.js";
import { trained } from "./training.js";

const examples = ["the red carpet", "I expected a great film , and the actors are wonderful . But the story is a mess , the dialogue is awful , and in the end it is not worth your time ."];
const most = Number(document.body.dataset.beside); // runs side by side

let timer = 0;

const answers = new Answers($("answers"), {
  ask: (panel, question, signal) => api("/api/predict", {}, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ run: panel.key, ...question }), signal,
  }),
  tell: (text) => ($("said").textContent = text),
  moved: (panel) => {
    if (panel === answers.panels[0]) set({ layer: panel.layer, head: panel.head, word: panel.word });
  },
  gone: (some) => ($("back").hidden = !some),
  truth: () => "", // the server reads runs, and no data sets
  reference: () => "",
});

const settings = (r) => [...r.cells.slice(1, 4).map((c) => c.text).filter(Boolean), `seed ${r.cells[4].text}`].join(", ");

// able lists the runs that can be asked, {key, name, about, translates}: finished ones first,
// those that were trained here last.
function able() {
  const rows = all().filter((r) => r.epoch > 0 && r.state !== "damaged"), done = (r) => r.state === "finished";
  return [
    ...[...rows.filter(done), ...rows.filter((r) => !done(r))].map((r) => (
      { key: r.key, name: label(r), about: settings(r) + (done(r) ? "" : ` (${r.state})`), translates: r.translates, cited: null })),
    ...trained().map((r) => ({ key: r.key, name: r.label.slice(0, r.label.indexOf("/") + 7).replace("/", " "), about: `trained here, ${r.about}`, translates: false, cited: r.citation })),
  ];
}

// wanted are the runs that the reader has said to ask; without a word, those chosen in the table.
const wanted = (runs) => (state.models.length > 0 ? state.models : state.runs ?? []).map((key) => runs.find((r) => r.key === key)).filter(Boolean);

// asked are the runs that are asked, the first of which is always chosen.
function asked(runs) {
  const first = runs.find((r) => r.key === $("model").value);
  return [first, ...wanted(runs).filter((r) => r.key !== first?.key && r.translates === first?.translates)].filter(Boolean).slice(0, most);
}

// others says why runs that are chosen are not asked.
function others(runs, list) {
  const left = wanted(runs).filter((r) => !list.includes(r));
  const why = (r) => r.translates === list[0].translates ? `at most ${most} stand side by side` : r.translates ? "it translates: as Run it is asked" : "it reads reviews: as Run it is asked";
  return left.length === 0 ? "" : `Chosen and not asked: ${left.map((r) => `${r.name} (${why(r)})`).join("; ")}.`;
}

// update renews the lists of runs that can be asked, and the panels; it says whether these are
// others now.
export function update() {
  const runs = able(), choice = (r) => [r.key, `${r.name}, ${r.about}`];
  options($("model"), runs.map(choice), wanted(runs)[0]?.key ?? $("model").value);
  for (const part of ["ask", "how"]) $(part).hidden = runs.length === 0;
  const list = asked(runs), translates = Boolean(list[0]?.translates);
  const more = runs.filter((r) => r.translates === translates && !list.includes(r));
  options($("beside"), [["", list.length < most ? "add a run …" : `at most ${most} runs`], ...(list.length < most ? more.map(choice) : [])], "");
  $("beside-box").hidden = more.length === 0;
  $("left").textContent = runs.length === 0 ? "No run of the folder can be asked yet." : others(runs, list);
  $("go").textContent = translates ? "Translate" : "Predict";
  $("what").textContent = translates ? "Sentence" : "Review";
  $("text").placeholder = translates ? "Type a sentence" : "Type or paste a review";
  return place(list);
}

// place has a panel for each of the runs, in their order; those that are there stay. It says
// whether others have come or gone.
function place(list) {
  const keys = list.map((r) => r.key);
  if (keys.join("\n") === answers.panels.map((p) => p.key).join("\n")) return false;
  const there = new Map(answers.panels.map((p) => [p.key, p]));
  for (const panel of answers.panels) if (!keys.includes(panel.key)) answers.remove(panel);
  answers.panels = list.map((r) => there.get(r.key) ?? answers.add(r.key, r.name, [r.about, r.cited ? [": ", h("code", {}, r.cited)] : null].flat(), [remove(r)]));
  answers.box.replaceChildren(...answers.panels.map((p) => p.section));
  return true;
}

const remove = (r) => h("button", { type: "button", class: "remove", "aria-label": `remove ${r.name}`, onclick: () => {
  choose(answers.panels.map((p) => p.key).filter((key) => key !== r.key));
  $("beside").focus();
} }, "Remove");

// choose asks these runs from now on.
function choose(keys) {
  const first = keys[0] !== answers.panels[0]?.key;
  set({ models: keys, ...(first ? { layer: "", head: "", word: "" } : {}) });
  update();
  predict();
}

// askToo asks a run beside those that are asked already, if they are asked about such texts.
export function askToo(key) {
  const runs = able(), kind = runs.find((r) => r.key === key)?.translates;
  const others = asked(runs).filter((r) => r.key !== key && r.translates === kind).map((r) => r.key);
  choose([...others.slice(0, most - 1), key]);
  $("text").focus();
}

export function predict() {
  clearTimeout(timer);
  answers.change();
}

function type(text) {
  answers.turnTo(text);
  set({ text, word: "" });
}

export function start() {
  const box = $("text");
  answers.text = box.value = state.text;
  box.addEventListener("input", () => {
    type(box.value);
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
    type(examples[$("what").textContent === "Sentence" ? 0 : 1]);
    box.value = answers.text;
    predict();
  });
  $("model").addEventListener("change", () => choose([$("model").value, ...answers.panels.slice(1).map((p) => p.key).filter((key) => key !== $("model").value)]));
  $("beside").addEventListener("change", () => $("beside").value && choose([...answers.panels.map((p) => p.key), $("beside").value]));
  $("back").addEventListener("click", () => {
    answers.putBack();
  });
  onChange(["runs"], () => {
    update();
    if (answers.text) predict();
  });
  onChange(["text"], () => {
    if (box.value !== state.text) { // from a link
      box.value = state.text;
      answers.turnTo(state.text);
      restore();
      if (!state.text) predict(); // which clears what was said
    }
  });
}

// restore asks again what a link says was asked.
export function restore() {
  if (answers.panels.length > 0) Object.assign(answers.panels[0], { layer: state.layer, head: state.head, word: state.word });
  if (state.text) predict();
}
