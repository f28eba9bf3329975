// The chosen runs: their curves, their entropies, and how they compare.

import { $, h, api, options, visible } from "./dom.js";
import { state, set, onChange } from "./state.js";
import { chosen, label } from "./runs.js";
import { detail, entropy } from "./data.js";
import { Curves } from "./curves.js";
import { Ridges } from "./ridges.js";
import { comparison } from "./compare.js";

const curves = new Curves(() => state.hide, (hide) => set({ hide }));
const ridges = new Ridges();
const none = "Choose runs in the table.";
const empty = (text) => h("p", { class: "empty" }, text);
const ofCurves = empty(), ofRidges = empty();

// Of several loadings under way the last one counts.
const turns = { curves: 0, ridges: 0, compare: 0 };
const begin = (what) => {
  const mine = ++turns[what];
  return () => mine === turns[what];
};

// load asks for what is new of the chosen runs and draws it.
export function load() {
  loadCurves();
  loadRidges();
  loadComparison();
}

async function loadCurves() {
  const last = begin("curves");
  ofCurves.textContent = chosen().length > 0 ? "Loading…" : none;
  const list = await Promise.all(chosen().map((r) => detail(r.key).catch((error) => ({ ...r, metrics: [], error }))));
  if (!last()) return;
  ofCurves.hidden = list.length > 0;
  curves.draw(list.map((d) => ({ ...d, name: label(d) })));
}

async function loadRidges() {
  const last = begin("ridges");
  const runs = chosen();
  options($("of"), runs.map((r) => [r.key, label(r)]), state.of);
  $("of-box").hidden = runs.length === 0;
  const key = $("of").value;
  let next = null, why = none;
  if (key && !ridges.shown) ofRidges.textContent = "Loading…";
  if (key) {
    try {
      const d = await detail(key);
      if (!last()) return;
      options($("where"), d.wheres.map((w) => [w, w || "the attention"]), state.where);
      $("where-box").hidden = d.wheres.length < 2;
      why = d.epoch === 0 ? "The run has no whole epoch yet." : "The model has no attention.";
      if (d.wheres.length > 0) next = await entropy(key, $("where").value);
    } catch (error) {
      why = error.message;
    }
  }
  if (!last()) return;
  ofRidges.textContent = visible(why);
  ofRidges.hidden = ridges.draw(next);
}

async function loadComparison() {
  const last = begin("compare");
  const query = new URLSearchParams(chosen().map((r) => ["run", r.key]));
  let content = [empty(none)];
  try {
    const c = state.runs?.length ? await api("/api/compare?" + query) : { runs: [] };
    if (c.runs.length > 0) content = comparison(c, chosen().map((r) => r.key));
  } catch (error) {
    content = [empty(error.message)];
  }
  if (last()) $("compare").replaceChildren(...content);
}

export function start() {
  $("curves").append(ofCurves, ...curves.elements);
  $("entropy").append(ofRidges, ridges.element);
  $("of").addEventListener("change", () => set({ of: $("of").value, where: "" }));
  $("where").addEventListener("change", () => set({ where: $("where").value }));
  onChange(["runs"], load);
  onChange(["hide"], () => curves.draw());
  onChange(["of", "where"], loadRidges);
}
