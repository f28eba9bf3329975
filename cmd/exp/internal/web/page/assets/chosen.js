// The chosen runs: their curves, their entropies, and the comparison.

import { $, h, options, visible } from "./dom.js";
import { state, set, onChange } from "./state.js";
import { chosen, detail, row } from "./runs.js";
import { Curves } from "./curves.js";
import { Ridges } from "./ridges.js";
import { comparison } from "./compare.js";

const curves = new Curves(() => state.hide, (hide) => set({ hide }));
const ridges = new Ridges();
const none = "Choose runs in the table.";
const hint = (text) => h("p", { class: "empty" }, text);
const ofCurves = hint(), ofRidges = hint();

let turn = 0; // of several loads under way the last one counts
let details = []; // of the chosen runs: rows with metrics, entropies and column

// load asks for the chosen runs and draws them.
export async function load() {
  const mine = ++turn;
  if (details.length === 0 && chosen().length > 0) ofCurves.textContent = "Loading …";
  const list = await Promise.all(chosen().map((r) => detail(r).catch((error) => ({ metrics: [], spread: [], entropies: [], error })).then((d) => ({ ...d, key: r.key, name: r.label, asked: r.asked, translates: r.translates, epoch: r.epoch }))));
  if (mine !== turn) return;
  details = list;
  ofCurves.textContent = none;
  ofCurves.hidden = list.length > 0;
  curves.draw(list);
  const compared = list.filter((d) => d.column);
  $("compare").replaceChildren(...(compared.length > 0 ? comparison(compared.map((d) => ({ ...d.column, place: list.indexOf(d) }))) : [hint(none)]));
  return loadRidges();
}

async function loadRidges() {
  const mine = turn;
  const all = await Promise.all(details.map((d) => d.asked === d.key || !row(d.asked) ? d.entropies : detail(row(d.asked)).then((one) => one.entropies, () => [])));
  if (mine !== turn) return;
  options($("of"), details.map((d) => [d.key, d.asked === d.key ? d.name : `${d.name}: ${row(d.asked)?.label}`]), state.of || details.find((_, i) => all[i].length > 0)?.key);
  $("of-box").hidden = details.length === 0;
  const i = details.findIndex((d) => d.key === $("of").value), d = details[i], list = all[i] ?? [];
  options($("place"), list.map((e) => [e.place, e.place || "the attention"]), state.place);
  $("place-box").hidden = list.length < 2;
  ofRidges.textContent = visible(!d ? none : d.error ? d.error.message : d.epoch === 0 ? "The run has no whole epoch yet." : "There are no histograms of this run's attention.");
  ofRidges.hidden = ridges.draw(list.find((e) => e.place === $("place").value) ?? null);
}

export function start() {
  $("curves").append(ofCurves, ...curves.elements);
  $("entropy").append(ofRidges, ridges.element);
  $("of").addEventListener("change", () => set({ of: $("of").value, place: "" }));
  $("place").addEventListener("change", () => set({ place: $("place").value }));
  onChange(["runs"], load);
  onChange(["hide"], () => curves.draw());
  onChange(["of", "place"], loadRidges);
}
