// A text is put to the chosen runs: their predictions, with the words shaded by attention, or
// their translations.

import { $, h, options } from "./dom.js";
import { state, set, onChange } from "./state.js";
import { backend } from "./backend.js";
import { addable, all, choose, chosen, row } from "./runs.js";
import { Answers } from "./answers.js";

const { page, runs: most, text: longest } = JSON.parse($("page").textContent);

let timer = 0;
let sentences = false; // the runs translate

const answers = new Answers($("answers"), $("tabs"), {
  ask: (panel, question, signal) => backend.ask(row(panel.key)?.asked ?? panel.key, question, signal),
  say: (text) => ($("said").textContent = text),
  moved: (panel) => {
    if (panel === answers.panels[0]) set({ layer: panel.layer, head: panel.head, word: panel.word });
  },
  changed: () => {
    $("back").hidden = answers.gone.size === 0;
    warn();
  },
  example: () => page.examples.find((e) => e.text === answers.text),
});

// warn names the words of the text that models of the sample do not know.
function warn() {
  const toys = answers.panels.filter((p) => p.answer?.sample), words = Math.max(...toys.map((p) => p.answer.sample));
  const unknown = [...new Set(toys.flatMap((p) => p.answer.pieces.filter((q) => q.word && q.unknown).map((q) => q.text.toLowerCase())))];
  const list = unknown.slice(0, 12).join(", ") + (unknown.length > 12 ? ` and ${unknown.length - 12} more` : "");
  $("toy").hidden = unknown.length === 0;
  if (unknown.length === 0) return;
  const works = page.examples.filter((e) => e.data === "sample" && !e.sentence).slice(0, 3);
  $("toy").replaceChildren(
    h("p", {}, h("strong", {}, `${toys.length === answers.panels.length ? "These models were" : toys.map((p) => p.name).join(", ") + (toys.length === 1 ? " was" : " were")} trained on the sample, reviews that a toy grammar of ${words} words wrote. The predictions for this text are not reliable.`),
      ` ${unknown.length === 1 ? "Unknown word" : "Unknown words"}: ${list}.`),
    works.length === 0 ? "" : h("p", {}, "Try a sentence that they can read: ", ...works.map((e) => h("button", { type: "button", translate: "no", onclick: () => use(e.text) }, e.text.length > 70 ? e.text.slice(0, 69) + "…" : e.text))));
}

// asked are the chosen runs that read reviews, or, if all translate, these; those with attention first, and no more
// than a server keeps open.
function asked() {
  const runs = chosen().filter((r) => r.epoch > 0), kind = runs.every((r) => r.translates);
  return runs.filter((r) => Boolean(r.translates) === kind).sort((a, b) => b.attends - a.attends).slice(0, most);
}

const films = ["sample", "imdb"], asking = new Set(); // data sets whose texts are reviews of films; those that were asked for texts

// fits reports whether a text is like those of a data set.
const fits = (e, data) => e.sentence === sentences && (e.data === data || films.includes(e.data) && films.includes(data));

// fetchExamples gets texts of a run's data, once.
async function fetchExamples(r) {
  if (asking.has(r.data)) return;
  asking.add(r.data);
  const list = await backend.examples(r.asked).catch(() => []);
  page.examples.push(...list);
  if (list.length > 0 && update()) predict();
}

// update renews the panels and the examples. It returns whether panels have come or gone.
export function update() {
  const list = asked(), any = all().some((r) => r.epoch > 0);
  let first = false; // an example is asked about
  sentences = Boolean(list[0]?.translates);
  $("none-asked").hidden = list.length > 0;
  $("none-asked").textContent = any ? "Choose runs in the table to ask them." : "No run of the folder can be asked yet.";
  for (const part of ["ask", "how"]) $(part).hidden = !any;
  const others = chosen().filter((r) => !list.includes(r)), full = list.length === most ? `at most ${most} are asked at once` : "";
  const why = (r) => r.epoch === 0 ? "it has no whole epoch yet" : r.translates === sentences ? full : r.translates ? "it translates sentences" : "it reads reviews";
  $("not-asked").textContent = others.length === 0 ? "" : `Not asked: ${others.slice(0, 5).map((r) => `${r.label} (${why(r)})`).join("; ")}${others.length > 5 ? `; and ${others.length - 5} more` : ""}.`;
  addable($("add"), sentences, full);
  const data = list.some((r) => r.data === "sample") ? "sample" : list[0]?.data;
  const film = data === undefined || films.includes(data) || sentences;
  $("what").textContent = sentences ? "Sentence" : film ? "Review" : "Text";
  $("text").placeholder = sentences ? "Type a sentence" : film ? "Type or paste a review" : `Type or paste a text, such as those of ${data}`;
  const texts = page.examples.map((e, i) => [e, i]).filter(([e]) => fits(e, data)).sort(([a], [b]) => (b.data === data) - (a.data === data));
  if (list.length > 0 && !texts.some(([e]) => e.data === data)) fetchExamples(list[0]);
  options($("example"), [["", "your own text"], ...texts.map(([e, i]) => [String(i), e.sentence ? e.text : `${e.id}${e.label ? `, ${e.label}${e.predicted ? ` (predicted: ${e.predicted})` : ""}` : ""}`])], "");
  const example = texts[0]?.[0].text ?? "";
  if (!state.text && list.length > 0 && answers.text !== example && !texts.some(([e]) => e.text === answers.text)) {
    answers.turnTo(example);
    $("text").value = example;
    first = true;
  }
  showExample();
  return answers.set(list.map((r) => ({ key: r.key, name: r.label, about: about(r), remove: remove(r) }))) || first;
}

const about = (r) => [r.shows ? `${r.shows}. ` : "", r.settings, r.ended ? [": ", h("code", {}, r.ended.citation)] : null].flat();

const remove = (r) => h("button", { type: "button", class: "remove", "aria-label": `remove ${r.label}`, onclick: () => {
  choose(r.key, false);
  $("add").focus();
} }, "Remove");

function showExample() {
  const i = page.examples.findIndex((e) => e.text === answers.text), offered = [...$("example").options].some((o) => o.value === String(i));
  $("example").value = offered ? String(i) : "";
}

// predict asks all runs about the text.
export function predict() {
  clearTimeout(timer);
  return answers.change();
}

function type(text) {
  answers.turnTo(text);
  set({ text, word: "" });
  showExample();
}

// use takes a text for the visitor's.
function use(text) {
  $("text").value = text;
  type(text);
  predict();
}

// askToo asks another run, too.
export function askToo(key) {
  if (row(key)?.translates === sentences || answers.panels.length === 0) choose(key, true);
  else set({ runs: [key] });
  $("text").focus();
}

export function start() {
  const box = $("text");
  box.maxLength = longest;
  answers.text = box.value = state.text;
  box.addEventListener("input", () => {
    type(box.value);
    clearTimeout(timer);
    timer = setTimeout(predict, 300);
  });
  $("ask").addEventListener("submit", (event) => event.preventDefault());
  $("example").addEventListener("change", () => {
    const i = $("example").value;
    use(i === "" ? "" : page.examples[i].text);
    if (i === "") box.focus();
  });
  $("add").addEventListener("change", () => $("add").value && choose($("add").value, true));
  $("back").addEventListener("click", () => answers.putBack());
  onChange(["runs"], () => update() && predict());
  onChange(["text"], () => {
    if (answers.text === state.text) return;
    box.value = state.text; // from a link
    answers.turnTo(state.text);
    showExample();
    restore();
  });
}

// restore asks the question of a link.
export function restore() {
  if (answers.panels.length > 0) Object.assign(answers.panels[0], { layer: state.layer, head: state.head, word: state.word });
  return predict();
}
