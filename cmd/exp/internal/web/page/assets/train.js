// Training on the sample: sliders, curves, and a review after each epoch.

import { $, h, options } from "./dom.js";
import { backend } from "./backend.js";
import { addTrained } from "./runs.js";
import { askToo, update } from "./ask.js";
import { percent, scale } from "./text.js";
import { Panel } from "./lines.js";
import { whenWide } from "./axes.js";

// Values of the sliders, besides the defaults of the experiment.
const stops = {
  lambda: ["0", "0.001", "0.003", "0.01", "0.03", "0.1", "0.3"],
  lr: ["0.0003", "0.001", "0.003", "0.01", "0.03", "0.1"],
  seed: Array.from({ length: 20 }, (_, i) => String(i + 1)),
};

const curves = [
  { panel: new Panel("Loss", "nats", 4, 0.1), of: "loss" },
  { panel: new Panel("Accuracy", "%", 2, 10), of: "acc" },
  { panel: new Panel("Mean entropy of the attention", "nats", 3, 0.1), of: "entropy" },
];

let offered; // a train.Offer
let stop = null; // ends the training under way
let now = null; // the training: {question, began, metrics, looks, at}
let before = []; // metrics of the training before, for comparison
let announced = 0; // when an epoch was last read out, ms

const pause = 8000; // ms between epochs that are read out: they may be faster than a voice

// start offers what can be trained, if anything can.
export async function start() {
  offered = await backend.training();
  for (const e of (offered.kept ?? []).toReversed()) addTrained(e, shows(e));
  $("train").hidden = false;
  if (offered.refused) {
    $("training").hidden = true;
    $("where-trained").textContent = offered.refused;
    return;
  }
  $("where-trained").textContent = `${backend.where} on the sample that is part of exp: 2 000 short reviews written by a grammar, and 1 000 more to test on.`;
  options($("experiment"), offered.trainables.map((t) => [t.name, t.name]), "tme9-simple");
  $("experiment").addEventListener("change", choose);
  for (const key of Object.keys(stops)) $(key).addEventListener("input", () => slide(key));
  $("training").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!stop) begin();
  });
  $("cancel").addEventListener("click", () => {
    stop();
    end("Cancelled.");
  });
  $("learning").append(...curves.map((c) => c.panel.element));
  whenWide($("learning"), draw);
  choose();
}

const shows = (e) => offered.trainables?.find((t) => e.run.startsWith(t.name + "/"))?.shows ?? "";

const chosen = () => offered.trainables.find((t) => t.name === $("experiment").value);

// places are the stops of a slider for the chosen experiment.
const places = (key) => [...new Set([...stops[key], chosen()[key]])].filter((v) => v !== "").sort((a, b) => a - b);

// choose puts the sliders where the experiment has them.
function choose() {
  const t = chosen();
  $("shows").textContent = `${t.shows}; ${t.epochs} epochs`;
  for (const key of Object.keys(stops)) {
    const list = places(key);
    Object.assign($(key), { min: 0, max: list.length - 1, step: 1, disabled: t[key] === "" });
    $(key).value = Math.max(0, list.indexOf(t[key]));
    slide(key);
  }
}

function slide(key) {
  const without = chosen()[key] === "";
  const value = without ? "–" : places(key)[$(key).value];
  $(key).setAttribute("aria-valuetext", without ? "this experiment has none" : value);
  $(key).nextElementSibling.textContent = value;
}

// asked is what the form asks for, without settings that are the default.
function asked() {
  const t = chosen(), q = { name: t.name };
  for (const key of Object.keys(stops)) {
    const value = places(key)[$(key).value];
    q[key] = t[key] === "" || value === t[key] ? "" : value;
  }
  return q;
}

function begin() {
  if (now?.metrics.length) before = now.metrics;
  now = { question: asked(), metrics: [], looks: [], at: performance.now() };
  const mine = now;
  stop = backend.train(mine.question, (kind, value) => {
    if (mine === now && stop) told[kind]?.(value); // not the last news of a cancelled training
  });
  $("begin").disabled = true;
  $("cancel").hidden = $("under").hidden = false;
  $("cancel").focus();
  $("done").removeAttribute("value");
  $("far").textContent = "reading the sample and training word vectors …";
  say("", false);
  $("result").replaceChildren();
  $("looks").replaceChildren();
}

// end ends the training, with a sentence about it.
function end(text) {
  stop = null;
  const focused = document.activeElement === $("cancel");
  $("begin").disabled = false;
  $("cancel").hidden = $("under").hidden = true;
  if (focused) $("begin").focus();
  say(text, true);
}

// say shows a sentence about the training, and has screen readers read it out or not.
function say(text, aloud) {
  $("told").setAttribute("aria-live", aloud ? "polite" : "off");
  $("told").textContent = text;
}

const seconds = () => (performance.now() - now.at) / 1000;
const whole = (n) => n.toLocaleString("en").replace(/,/g, "\u00a0");

// told takes the news of the training, see train.News.
const told = {
  began(b) {
    now.began = b;
    $("learned").hidden = false;
    $("which").replaceChildren(`Review ${offered.review} of the sample, whose label is ${b.classes[offered.label]}. Its words are shaded by attention, before the first epoch and after each.`);
    looks();
    draw();
    announced = performance.now();
    say(`Training ${b.run}: ${whole(b.weights)} weights, ${whole(b.reviews)} reviews, ${b.epochs} epochs.`, true);
  },
  progress(m) {
    const all = now.began.epochs, part = (m.epoch - 1 + m.done / m.total) / all;
    $("done").value = part;
    const left = seconds() / part - seconds();
    $("far").textContent = `epoch ${m.epoch} of ${all}: ${Math.round(100 * m.done / m.total)} % of it, loss ${m.loss.toFixed(3)}; ${left < 1 ? "a moment" : `about ${Math.ceil(left)} s`} to go`;
  },
  answer(l) {
    now.looks.push(l);
    looks();
  },
  epoch(m) {
    now.metrics.push(m);
    draw();
    const aloud = performance.now() - announced > pause;
    if (aloud) announced = performance.now();
    say(`Epoch ${m.epoch} of ${now.began.epochs}: ${sentence(m)}.`, aloud);
  },
  ended(e) {
    const took = seconds(), b = now.began, m = e.last;
    addTrained(e, shows(e));
    update();
    end(`Trained in ${took < 10 ? took.toFixed(1) : took.toFixed(0)} s: ${sentence(m)}.`);
    $("result").replaceChildren(
      h("p", {}, h("code", { id: "cited" }, e.citation), " is the citation of the run. It stands for its settings, its data and every number of its metrics. In a terminal, ", h("code", {}, b.command.join(" ")), " ends with the same citation."),
      h("p", {}, `The run is in the table now. ${backend.kept} It does not know words that the sample lacks. `, h("button", { type: "button", onclick: () => askToo(e.key) }, "Ask it about the text")),
      h("details", {}, h("summary", {}, "metrics.jsonl"), h("pre", { id: "metrics", tabindex: "0" }, e.metrics)));
  },
  failed(text) {
    end(text);
  },
};

const sentence = (m) => `train loss ${m.train_loss.toFixed(3)}, accuracy ${m.train_acc.toFixed(1)} %; test loss ${m.test_loss.toFixed(3)}, accuracy ${m.test_acc.toFixed(1)} %` + (m.test_entropy === null ? "" : `; entropy of the attention ${m.test_entropy.toFixed(2)} nats`);

function draw() {
  if (!now?.began) return;
  const points = (metrics, key) => metrics.filter((m) => Number.isFinite(m[key])).map((m) => [m.epoch, m[key]]);
  let drawn = 0;
  for (const { panel, of } of curves) {
    const list = [
      { name: "test, run before", split: "test", colour: "plain", points: points(before, `test_${of}`) },
      ...["train", "test"].map((split) => ({ name: split, split, colour: split, points: points(now.metrics, `${split}_${of}`) })),
    ].filter((c) => c.points.length > 0);
    panel.element.hidden = !list.some((c) => c.colour !== "plain");
    if (!panel.element.hidden) drawn++;
    panel.list = list;
  }
  $("learning").classList.toggle("few", drawn < 3);
  for (const { panel } of curves) if (!panel.element.hidden) panel.draw(panel.list, panel.element.clientWidth);
  const key = (kind, text) => h("span", { class: "run" }, h("i", { class: `key ${kind}` }), text);
  $("key").replaceChildren(...(drawn === 0 ? [] : [key("train", "train"), key("test", "test"), ...(before.length ? [key("plain", "test, run before")] : [])]));
}

// looks shows the review after each epoch.
function looks() {
  const b = now.began;
  const most = (a) => a.attention ? a.pieces.filter((p) => p.word).reduce((p, q) => ((q.weight || 0) > (p.weight || 0) ? q : p)) : null;
  const cell = (text) => h("th", { scope: "col" }, text);
  const row = ({ epoch, answer: a }) => h("tr", {}, h("th", { scope: "row", class: "number" }, String(epoch)), h("td", { class: "number" }, percent(a.p[offered.label])),
    most(a) ? h("td", { translate: "no" }, `${most(a).text} ${percent(most(a).weight || 0)}`) : null,
    h("td", { translate: "no" }, ...a.pieces.map((p) => {
      if (!p.word) return p.text;
      const span = h("span", { class: "word", title: a.attention ? percent(p.weight || 0) : false }, p.text);
      span.style.setProperty("--s", (p.strength || 0).toFixed(3));
      return span;
    })));
  $("looks").replaceChildren(h("thead", {}, h("tr", {}, cell("epoch"), cell(b.classes[offered.label]), now.looks[0]?.answer.attention ? cell("most attended") : null, cell("review"))), h("tbody", {}, ...now.looks.map(row)));
  const a = now.looks[0]?.answer;
  $("looks").classList.toggle("plain", Boolean(a) && !a.attention); // without the column of attention
  if (a) $("which").replaceChildren($("which").firstChild, a.attention ? scale(false) : " The model has no attention: every word counts the same.");
}
