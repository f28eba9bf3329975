// The page of exp export --page: the models are unpacked, texts are put to them, and what
// they say stands side by side.

import { $, h, jumps, options } from "./dom.js";
import { Answers } from "./answers.js";
import { beside } from "./beside.js";
import { offer } from "./train.js";
import { train } from "./worker.js";

const page = JSON.parse($("page").textContent);

const translates = page.runs[0].translates; // all of a page's runs do, or none
const example = translates ? "the red carpet"
  : "I expected a great film , and the actors are wonderful . But the story is a mess , the dialogue is awful , and in the end it is not worth your time .";

const answers = new Answers($("answers"), {
  // The page never hangs for long: between two answers it hears its reader.
  ask: async (panel, question, signal) => {
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    return JSON.parse(value(imdbexp.ask(answers.panels.indexOf(panel), JSON.stringify(question))));
  },
  tell: (text) => ($("said").textContent = text),
  moved: () => {},
  gone: (some) => ($("back").hidden = !some),
  truth: () => offered()?.label,
  reference: () => offered()?.reference ?? "",
});
answers.text = new URLSearchParams(location.hash.slice(1)).get("text") ?? page.reviews[0]?.text ?? example;

let ready = false; // the models are unpacked

const offered = () => page.reviews.find((r) => r.text === answers.text);
// nameOf is the experiment's name, with as much of the ID as curves have it where another run has the name already.
const nameOf = (run) => {
  const [name, id] = run.label.split("/");
  return page.runs.find((r) => r.label.split("/")[0] === name) === run ? name : `${name} ${id.slice(0, 6)}`;
};
const add = (run) => answers.add(run.label, nameOf(run), [run.about]);

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
  for (const [i, run] of page.runs.entries()) value(imdbexp.model(await bytes(`model${i}`), run.table));
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
  if (answers.panels.some((p) => p.key === run.label)) return true;
  if (answers.panels.length >= most) return false;
  value(imdbexp.table(table));
  value(imdbexp.model(model, page.tables));
  page.runs.push(run);
  run.table = page.tables++;
  add(run);
  tell();
  change();
  return true;
}

// change asks all runs anew, and says how long they took.
async function change() {
  if (!ready) return; // start asks when it has come to its end
  try {
    history.replaceState(null, "", `#${new URLSearchParams({ text: answers.text })}`);
  } catch { // Safari and Firefox refuse more than some hundred in half a minute: the next one says it
  }
  const began = performance.now();
  const done = await answers.change();
  if (!answers.text.trim()) $("state").textContent = "type a text, or choose one";
  if (!done) return;
  const took = performance.now() - began;
  $("state").setAttribute("aria-live", "off"); // the answers are read out, and need no time beside them
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

function begin() {
  page.runs.forEach(add);
  const reviews = [...page.reviews.map((r, i) => [String(i), translates ? r.text : r.id + (r.label ? ` (in truth ${r.label}${r.taken ? `, ${nameOf(page.runs[0])} says ${r.taken}` : ""})` : "")]), ["example", "an example"]];
  const chosen = () => answers.text === example ? "example" : String(page.reviews.findIndex((r) => r.text === answers.text));
  options($("review"), [["-1", "your own"], ...reviews], chosen());
  $("text").value = answers.text;
  if (translates) {
    $("text").placeholder = "Type a sentence";
    $("text").rows = 2;
  }
  let timer = 0;
  $("text").addEventListener("input", () => {
    answers.turnTo($("text").value);
    $("review").value = chosen();
    clearTimeout(timer);
    timer = setTimeout(change, 250);
  });
  $("review").addEventListener("change", () => {
    const which = $("review").value;
    answers.turnTo(which === "example" ? example : page.reviews[which]?.text ?? "");
    $("text").value = answers.text;
    change();
    if (which === "-1") $("text").focus();
  });
  $("intro").textContent = translates
    ? "Choose a sentence or type one. Each panel below is a trained model: what it translates, and which words of the sentence it looked at for each word that it wrote."
    : "Choose a review or type one. Each panel below is a trained model: how probable it finds each class, and, shaded, the words that it looked at. The stronger a word's shade, the more it counts in what the model has read." + (page.reviews.some((r) => r.label === "pos") ? " A review that is pos praises, one that is neg does not." : "");
  addEventListener("hashchange", () => { // a link to this page, which is open already
    const text = new URLSearchParams(location.hash.slice(1)).get("text");
    if (text === null || text === answers.text) return;
    answers.turnTo(text);
    $("text").value = text;
    $("review").value = chosen();
    change();
  });
  $("ask").addEventListener("submit", (event) => event.preventDefault());
  $("back").addEventListener("click", () => {
    answers.putBack();
  });
  tell();
}

begin();
jumps();
$("state").textContent = "unpacking the models …";
setTimeout(() => start().then(jumps).then(() => (ready = true)).then(change).then(() => document.body.setAttribute("data-ready", performance.now().toFixed(0))).catch((error) => {
  const old = typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined";
  $("state").textContent = old ? "This browser is too old for the page: Chromium 111, Firefox 113 and Safari 16.4 are not." : `The page is damaged or its browser refuses it: ${error.message}`;
}));
