// Runs side by side: results, and the settings in which they differ.

import { h } from "./dom.js";

const most = 8; // settings of only some runs that are shown unasked

let open = false; // more of them were asked for

// comparison returns what is shown of a beside.Comparison. keys are the runs that are drawn, in
// the order of their colours; it may have fewer.
export function comparison(c, keys = c.runs) {
  const head = h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unseen" }, "what")),
    ...c.heads.map((name, i) => h("th", { scope: "col" }, c.heads.length > 1 ? h("i", { class: `key c${keys.indexOf(c.runs[i])}` }) : null, name)));
  const title = (name) => h("tr", {}, h("th", { scope: "rowgroup", colspan: c.runs.length + 1 }, name));
  const rows = (lines) => lines.map((line) => h("tr", {}, h("th", { scope: "row" }, line.name), ...line.values.map((v) => h("td", { class: "number" }, v))));
  const group = (name, lines) => lines.length === 0 ? null : h("tbody", {}, title(name), ...rows(lines));
  const settings = c.runs.length > 1 ? "settings that differ" : "settings that are not at their default";
  return [
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "compare-head" },
      h("table", { class: "compare", "aria-labelledby": "compare-head" }, h("thead", {}, head), group("results", c.results), group(settings, c.settings), lacking(c.lacking, title, rows))),
    h("ul", { class: "notes" }, ...c.notes.map((note) => h("li", {}, note))),
  ];
}

// lacking are the settings that only some of the runs have: many, of models of several kinds.
function lacking(lines, title, rows) {
  const name = "settings that only some of them have";
  if (lines.length <= most) return lines.length === 0 ? null : h("tbody", {}, title(name), ...rows(lines));
  const all = rows(lines);
  const button = h("button", { type: "button", onclick: () => show(!open) }, `${lines.length} ${name}`);
  const show = (value) => {
    open = value;
    button.setAttribute("aria-expanded", String(open));
    for (const row of all) row.hidden = !open;
  };
  show(open);
  return h("tbody", {}, title(button), ...all);
}
