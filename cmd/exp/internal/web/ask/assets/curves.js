// The curves of the chosen runs: loss, accuracy and mean entropy over the epochs.

import { $, h } from "./dom.js";
import { state, set, onChange } from "./state.js";
import { chosen, label } from "./runs.js";
import { detail } from "./data.js";
import { Panel } from "./lines.js";
import { whenWide } from "./axes.js";

const splits = ["train", "valid", "test"];
const panels = [
  { panel: new Panel("Loss", "nats", 4, 0.1), of: "loss" },
  { panel: new Panel("Accuracy", "%", 2, 10), of: "acc", shows: (d) => !d.translates },
  { panel: new Panel("Next words right", "%", 2, 10), of: "acc", shows: (d) => d.translates },
  { panel: new Panel("Exact match", "%", 2, 10), of: "exact" },
  { panel: new Panel("Mean entropy of the attention", "nats", 3, 0.1), of: "entropy" },
];
const legend = h("div", { class: "legend" });
const place = h("div", { class: "panels" }, ...panels.map((p) => p.panel.element));
const hint = h("p", { class: "empty" });

let shown = []; // details of the chosen runs
let turn = 0; // of several loadings under way the last one counts

// load asks for what is new of the chosen runs and draws it.
export async function load() {
  const mine = ++turn;
  hint.textContent = chosen().length > 0 ? "Loading…" : "Choose runs in the table.";
  const list = await Promise.all(chosen().map((r) => detail(r.key).catch((error) => ({ ...r, metrics: [], error }))));
  if (mine !== turn) return;
  shown = list;
  draw();
}

// colour returns the class of a run's colour, its place among the chosen.
const colour = (i) => (shown.length === 1 ? null : "c" + i);

function curves({ of, shows }) {
  const out = [];
  shown.forEach((d, i) => {
    if (shows && !shows(d)) return;
    for (const split of splits) {
      if (state.hide.includes(split)) continue;
      const points = d.metrics.filter((m) => Number.isFinite(m[`${split}_${of}`])).map((m) => [m.epoch, m[`${split}_${of}`]]);
      const name = shown.length === 1 ? split : `${label(d)} ${split}`;
      out.push({ name, run: d.key, split, colour: colour(i) || split, points });
    }
  });
  return out;
}

function draw() {
  hint.hidden = shown.length > 0;
  place.hidden = legend.hidden = shown.length === 0;
  const lists = panels.map((p) => curves(p).filter((c) => c.points.length > 0));
  panels.forEach(({ panel }, i) => (panel.element.hidden = lists[i].length === 0));
  const drawn = lists.filter((list) => list.length > 0).length;
  place.classList.toggle("few", drawn < 3 || drawn === 4);
  panels.forEach(({ panel }, i) => panel.draw(lists[i], panel.element.clientWidth)); // as wide as there is room now
  legend.replaceChildren(...shown.map((d, i) => h("span", { class: "run" },
    h("i", { class: `key ${colour(i) || "test"}` }), label(d), d.error ? h("small", {}, d.error.message) : null)), switches());
}

// switches turn the splits on and off.
function switches() {
  const there = splits.filter((split) => shown.some((d) => d.metrics.some((m) => Number.isFinite(m[`${split}_loss`]))));
  return h("span", { class: "splits" }, ...there.map((split) => h("label", {},
    h("input", { type: "checkbox", name: "split", value: split, checked: !state.hide.includes(split), onchange: toggle }),
    h("i", { class: `key ${shown.length === 1 ? split : "plain " + split}` }), split)));
}

function toggle(event) {
  const split = event.target.value;
  const hide = state.hide.filter((other) => other !== split);
  if (!event.target.checked) hide.push(split);
  set({ hide });
  document.querySelector(`input[name=split][value=${split}]`)?.focus(); // drawn anew
}

export function start() {
  $("curves").append(hint, legend, place);
  onChange(["runs"], load);
  onChange(["hide"], draw);
  whenWide(place, draw);
}
