// The page of exp export --page: the models are unpacked, texts are put to them, and what
// they say stands side by side.

import { $, h, options } from "./dom.js";
import { percent } from "./text.js";
import { put, show } from "./show.js";
import { beside } from "./beside.js";
import { offer } from "./train.js";
import { train } from "./worker.js";

const page = JSON.parse($("page").textContent);

const translates = page.runs[0].translates; // all of a page's runs do, or none
const example = translates ? "the red carpet"
  : "I expected a great film , and the actors are wonderful . But the story is a mess , the dialogue is awful , and in the end it is not worth your time .";

// Of the text: what words, from which character to which, are taken away.
let text = new URLSearchParams(location.hash.slice(1)).get("text") ?? page.reviews[0]?.text ?? example;
let gone = new Map();

// Of each run: where one looks, and what is asked for beside the prediction.
const panelOf = (run, i) => ({ i, run, layer: "", head: "", word: "", by: "", steps: false, matrix: false, top: 0, of: "" });
const panels = page.runs.map(panelOf);

// bytes returns what an element of the page holds.
async function bytes(id) {
  const element = $(id), coded = element.textContent;
  element.remove();
  let b;
  if (Uint8Array.fromBase64) b = Uint8Array.fromBase64(coded);
  else {
    const raw = atob(coded);
    b = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; k++) b[k] = raw.charCodeAt(k);
  }
  return new Uint8Array(await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

const value = (result) => {
  if (result.error) throw new Error(result.error);
  return result.value;
};

async function start() {
  if (page.compared) beside(JSON.parse(new TextDecoder().decode(await bytes("beside"))));
  const go = new Go(); // of wasm_exec.js
  const module = await WebAssembly.compile(await bytes("wasm"));
  go.run(await WebAssembly.instantiate(module, go.importObject));
  for (let t = 0; t < page.tables; t++) value(imdbexp.table(await bytes(`table${t}`)));
  for (const { i, run } of panels) value(imdbexp.model(await bytes(`model${i}`), run.table));
  if (!translates) offer(JSON.parse(value(imdbexp.offered())), trainer(module));
}

const most = 8; // runs side by side

// trainer trains in a worker, by a compiled module; what comes of it stands beside the other runs.
function trainer(module) {
  let handed, stop;
  return {
    where: "Here, in the page:",
    start: (question, hear) => {
      stop = train(module, question, (kind, value) => {
        if (kind === "ended" || kind === "failed") stop();
        if (kind === "model") handed = value;
        else hear(kind, value);
      });
      return stop;
    },
    keep: (e, about) => {
      const run = { label: e.run, about, citation: e.citation, accuracy: e.last.test_acc, data: "sample", words: e.words, of: e.words };
      return [trained(run, handed.table, handed.model) ? "It stands above beside the other runs now, for any text; of words that the sample does not have it knows nothing." : "There is no more room beside the other runs: load the page again to ask it."];
    },
  };
}

// trained takes in a run that was trained here, to be asked beside the others. It says
// whether there is one of it.
function trained(run, table, model) {
  if (panels.some((p) => p.run.label === run.label)) return true;
  if (panels.length >= most) return false;
  value(imdbexp.table(table));
  value(imdbexp.model(model, page.tables));
  page.runs.push({ ...run, table: page.tables++ });
  panels.push(panelOf(page.runs.at(-1), panels.length));
  place(panels.at(-1));
  tell();
  change();
  return true;
}

// ask puts a question to model i.
function ask(i, question) {
  return JSON.parse(value(imdbexp.ask(i, JSON.stringify(question))));
}

// cut gives the pieces of an answer their places in the text.
function cut(pieces) {
  let at = 0;
  return pieces.map((piece) => ({ ...piece, from: at, to: at += piece.text.length }));
}

const out = (piece) => [...gone.values()].some(([from, to]) => piece.from >= from && piece.to <= to);

// answer asks a panel's run about the text without the words that are gone.
function answer(panel) {
  const { layer, head, word, by, steps, matrix, top, of } = panel;
  const question = { text, layer: Number(layer), head: Number(head), word, by, steps, matrix, top, of };
  if (gone.size === 0) {
    const a = ask(panel.i, question);
    a.pieces = cut(a.pieces);
    return [a, null];
  }
  const whole = ask(panel.i, { text }), pieces = cut(whole.pieces);
  const a = ask(panel.i, { ...question, text: pieces.map((p) => p.word && out(p) ? " " : p.text).join("") });
  const left = a.pieces.filter((p) => p.word);
  let k = 0;
  const merged = pieces.map((p) => !p.word ? p : out(p) ? { ...p, word: 0, gone: p.from } : { ...left[k++], from: p.from, to: p.to });
  if (k === left.length && merged.every((p) => p.gone !== undefined || text.slice(p.from, p.to) === p.text)) a.pieces = merged;
  else a.pieces = cut(a.pieces); // the words that are left were split otherwise
  return [a, whole];
}

// draw shows what a panel's run says.
function draw(panel) {
  let elements;
  try {
    const [a, before] = answer(panel);
    const words = a.pieces.filter((p) => p.word);
    const how = {
      ...panel, before, reference: gone.size === 0 ? page.reviews.find((r) => r.text === text)?.reference : "",
      ask: (changes) => {
        Object.assign(panel, changes);
        draw(panel);
      },
      take: (k) => {
        gone.set(words[k].from, [words[k].from, words[k].to]);
        change();
      },
      back: (from) => {
        gone.delete(from);
        change();
      },
    };
    panel.said = a.translation ? a.translation.words.join(" ") : `${a.classes[a.class]} ${percent(a.p[a.class])}`;
    elements = [choices(panel, a), ...show(a, how)];
  } catch (error) {
    const wrong = panel.word || panel.layer || panel.of;
    Object.assign(panel, { word: "", layer: "", head: "", of: "" }); // that the text no longer has
    if (wrong) return draw(panel);
    panel.said = "no answer";
    elements = [h("p", { class: "note" }, error.message)];
  }
  put(panel.box, elements.filter(Boolean));
}

// choices offers the layers and heads of a model.
function choices(panel, a) {
  if (a.heads.length === 0 || (a.heads.length === 1 && a.heads[0] === 1)) return null;
  const select = (name, list) => {
    const s = h("select", { "data-focus": name, onchange: () => {
      panel[name] = s.value;
      if (name === "layer") Object.assign(panel, { head: "", word: s.value ? panel.word : "" });
      else if (!panel.layer) panel.layer = String(a.heads.length);
      draw(panel);
    } });
    options(s, list, panel[name]);
    return h("label", {}, name === "layer" ? "Layer " : "Head ", s);
  };
  const heads = a.heads[(Number(panel.layer) || a.heads.length) - 1];
  const count = (n) => Array.from({ length: n }, (_, k) => [String(k + 1), String(k + 1)]);
  return h("div", { class: "bar more" }, select("layer", [["", "default"], ...count(a.heads.length)]),
    select("head", [["", heads > 1 ? `mean of ${heads}` : "1"], ...(heads > 1 ? count(heads) : [])]));
}

let turn = 0;

// change asks all runs anew, one after the other, so that the page never hangs for long.
async function change() {
  const mine = ++turn;
  const query = new URLSearchParams({ text });
  history.replaceState(null, "", `#${query}`);
  $("back").hidden = gone.size === 0;
  if (!text.trim()) {
    $("said").textContent = "";
    for (const panel of panels) panel.box.replaceChildren();
    return;
  }
  const began = performance.now();
  for (const panel of panels) {
    draw(panel);
    await new Promise((resolve) => setTimeout(resolve));
    if (mine !== turn) return;
  }
  const took = performance.now() - began;
  const truth = gone.size === 0 ? page.reviews.find((r) => r.text === text)?.label : "";
  $("said").textContent = panels.map((p) => `${p.run.label.split("/")[0]}: ${p.said}`).join("; ") + (truth ? `; in truth: ${truth}` : "");
  $("state").textContent = `answered here in ${took < 10 ? took.toFixed(1) : took.toFixed(0)} ms`;
}

// tell says what the page holds.
function tell() {
  const number = (n) => n.toLocaleString("en").replace(/,/g, "\u00a0");
  const share = (r) => {
    const x = r.translates ? r.exact : r.accuracy;
    return x === null ? "–" : `${x.toFixed(2)}\u00a0%`;
  };
  const head = (name) => h("th", { scope: "col" }, name);
  $("runs").replaceChildren(
    h("thead", {}, h("tr", {}, head("run"), head("settings"), head(translates ? "exact on test" : "right on test"), head("words"), head("citation"))),
    h("tbody", {}, ...page.runs.map((r) => h("tr", {}, h("th", { scope: "row" }, r.label), h("td", {}, r.about), h("td", { class: "number" }, share(r)),
      h("td", { class: "number" }, r.words < r.of ? `${number(r.words)} of ${number(r.of)}` : number(r.words)), h("td", {}, r.citation ? h("code", {}, r.citation) : "not finished")))));
  const left = page.runs.filter((r) => r.words < r.of && !r.counts), batch = page.runs.filter((r) => r.batch);
  $("about").replaceChildren(
    h("p", {}, `Everything is computed here, in the browser, offline, by the inference of exp ${page.version} compiled to WebAssembly: ${translates ? "translations, their log-probabilities and their alignment" : "probabilities, attention and entropies"} have the bits of `, h("code", {}, "exp predict"), " and ", h("code", {}, "exp attend"), translates ? "" : " for texts whose words are all in the page", ". A citation stands for the run's settings, data and numbers; ", h("code", {}, "exp reproduce CITATION"), " trains it again."),
    left.length === 0 ? "" : h("p", {}, `To keep the page small, rarer words of ${left.map((r) => r.label).join(", ")} are left out: ${left.some((r) => r.masked) ? "to the page they have no vector, and runs with oov=masked do not see them" : "to the page they have no vector, and are underlined"}. The texts that it offers have all of theirs.`),
    page.runs.some((r) => r.counts) ? h("p", {}, "Models that count n-grams attend to nothing: their score is a sum, and words are shaded by what their n-grams add to it. Of n-grams the page has those that move scores most; each answer says whether the text has others.") : "",
    batch.length === 0 ? "" : h("p", {}, `What ${batch.map((r) => r.label).join(", ")} ${batch.length === 1 ? "says" : "say"} of a text depends on the other texts of its batch; here each text is alone, as in exp attend.`),
    h("p", {}, "A word's shade is its weight beside an equal share: none up to that, then a step for each doubling. Attention shows where a model looks, which need not be why it decides."));
}

// place makes room for what a panel's run says.
function place(panel) {
  panel.box = h("div", {});
  const name = h("h2", { id: `run${panel.i}` }, panel.run.label.split("/")[0]);
  $("answers").append(h("section", { "aria-labelledby": `run${panel.i}` }, name, h("p", { class: "hint" }, panel.run.about), panel.box));
}

function begin() {
  panels.forEach(place);
  const reviews = [...page.reviews.map((r, i) => [String(i), translates ? r.text : r.id + (r.label ? ` (in truth ${r.label})` : "")]), ["example", "an example"]];
  const chosen = () => text === example ? "example" : String(page.reviews.findIndex((r) => r.text === text));
  options($("review"), [["-1", "your own"], ...reviews], chosen());
  $("text").value = text;
  if (translates) {
    $("text").placeholder = "Type a sentence";
    $("text").rows = 2;
  }
  const turnTo = (now) => {
    text = now;
    gone = new Map();
    for (const panel of panels) panel.word = "";
  };
  let timer = 0;
  $("text").addEventListener("input", () => {
    turnTo($("text").value);
    $("review").value = chosen();
    clearTimeout(timer);
    timer = setTimeout(change, 250);
  });
  $("review").addEventListener("change", () => {
    const which = $("review").value;
    turnTo(which === "example" ? example : page.reviews[which]?.text ?? "");
    $("text").value = text;
    change();
    if (which === "-1") $("text").focus();
  });
  $("skip").addEventListener("click", (event) => { // the address keeps the text
    event.preventDefault();
    $("answers").focus();
    $("answers").scrollIntoView();
  });
  $("intro").textContent = translates
    ? "Choose a sentence or type one. Each panel below is a trained model: what it translates, and which words of the sentence it looked at for each word that it wrote."
    : "Choose a review or type one. Each panel below is a trained model: how probable it finds each class, and, shaded, the words that it looked at. The darker a word, the more it counts in what the model has read.";
  $("ask").addEventListener("submit", (event) => event.preventDefault());
  $("back").addEventListener("click", () => {
    gone = new Map();
    change();
    $("text").focus();
  });
  tell();
}

begin();
$("state").textContent = "unpacking the models …";
setTimeout(() => start().then(change).then(() => document.body.setAttribute("data-ready", performance.now().toFixed(0))).catch((error) => {
  const old = typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined";
  $("state").textContent = old ? "This browser is too old for the page: Chromium 111, Firefox 113 and Safari 16.4 are not." : `The page is damaged or its browser refuses it: ${error.message}`;
}));
