// Runs side by side: results, and the settings in which they differ.

import { h } from "./dom.js";

// comparison returns what is shown of a beside.Comparison.
export function comparison(c) {
  const head = h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unseen" }, "what")),
    ...c.heads.map((name, i) => h("th", { scope: "col" }, c.heads.length > 1 ? h("i", { class: `key c${i}` }) : null, name)));
  const group = (name, lines) => lines.length === 0 ? null : h("tbody", {},
    h("tr", {}, h("th", { scope: "rowgroup", colspan: c.runs.length + 1 }, name)),
    ...lines.map((line) => h("tr", {}, h("th", { scope: "row" }, line.name), ...line.values.map((v) => h("td", { class: "number" }, v)))));
  const settings = c.runs.length > 1 ? "settings that differ" : "settings that are not at their default";
  return [
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "compare-head" },
      h("table", { class: "compare" }, h("thead", {}, head), group("results", c.results), group(settings, c.settings),
        group("settings that only some of them have", c.lacking))),
    h("ul", { class: "notes" }, ...c.notes.map((note) => h("li", {}, note))),
  ];
}
