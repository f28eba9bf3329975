// The page's runs side by side: curves, entropies of the attention, and how they compare.

import { $, h, options } from "./dom.js";
import { Curves } from "./curves.js";
import { Ridges } from "./ridges.js";
import { comparison } from "./compare.js";

let hidden = []; // splits that are not drawn

// beside shows what the page keeps of its runs, a beside.Kept.
export function beside(kept) {
  for (const section of document.querySelectorAll(".beside")) section.hidden = false;
  const curves = new Curves(() => hidden, (list) => {
    hidden = list;
    curves.draw();
  });
  $("curves").append(...curves.elements);
  curves.draw(kept.runs);
  $("compare").append(...comparison(kept.comparison));
  entropies(kept.runs.filter((r) => r.wheres.length > 0));
}

function entropies(runs) {
  const ridges = new Ridges(), hint = h("p", { class: "empty" });
  $("entropy").append(hint, ridges.element);
  $("entropy").closest("section").hidden = runs.length === 0;
  options($("of"), runs.map((r) => [r.key, r.name]));
  const draw = () => {
    const run = runs.find((r) => r.key === $("of").value);
    $("where-box").hidden = !run || run.entropies.length < 2;
    options($("where"), run?.entropies.length > 0 ? run.wheres.map((w, i) => [String(i), w || "the attention"]) : []);
    hint.hidden = ridges.draw(run?.entropies[Number($("where").value)] ?? null);
    hint.textContent = "The histograms of this run are large, and are left out of the page; exp serve draws them.";
  };
  $("of").addEventListener("change", draw);
  $("where").addEventListener("change", draw);
  draw();
}
