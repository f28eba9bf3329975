// What mattered in a search: a figure for the trials of each, made when the part is opened.

import { $, h } from "./dom.js";
import { backend } from "./backend.js";
import { trials } from "./runs.js";

// update shows the part if there are trials, and draws their figures if it is open.
export async function update() {
  $("search").hidden = trials() === 0;
  if ($("search").hidden || !$("searches").open) return;
  try {
    const list = await backend.search();
    $("mattered").replaceChildren(...list.map((f) => h("figure", {}, h("figcaption", {}, f.title),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "drawing" }, document.adoptNode(new DOMParser().parseFromString(f.svg, "image/svg+xml").documentElement)), h("p", { class: "hint" }, f.caption))),
      list.length === 0 ? h("p", { class: "empty" }, "There is too little to compare: four finished trials that differ in a setting.") : "");
  } catch (error) {
    $("mattered").replaceChildren(h("p", { class: "note" }, error.message));
  }
}

export function start() {
  $("searches").addEventListener("toggle", update);
}
