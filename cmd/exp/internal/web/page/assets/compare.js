// The comparison of runs: their results, and the settings in which they differ.

import { h, own, remark } from "./dom.js";
import { colour } from "./axes.js";

const facts = ["experiment", "model", "test reviews", "data digest", "classes", "settings"]; // which are no settings
const most = 8; // settings of only some runs that are shown at once

let open = false; // the visitor wants to see more of them

// lines turns columns of {name, text} into lines, one for each name.
function lines(columns) {
  const names = [...new Set(columns.flatMap((c) => c.map((v) => v.name)))];
  return names.map((name) => ({ name, values: columns.map((c) => c.find((v) => v.name === name)?.text) }));
}

// comparison returns what is shown of columns, see page.Column; place is the number of a run's colour.
export function comparison(columns) {
  const results = lines(columns.map((c) => c.results));
  const settings = lines(columns.map((c) => c.settings)), whole = (l) => !l.values.includes(undefined);
  const one = columns.length === 1;
  const shown = one
    ? columns[0].settings.filter((v) => v.from).map((v) => ({ name: v.name, values: [[own(v.text), ` (${v.from})`]] }))
    : settings.filter((l) => whole(l) && l.values.some((v) => v !== l.values[0]));
  const head = h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unseen" }, "what")),
    ...columns.map((c) => h("th", { scope: "col" }, one ? null : h("i", { class: `key ${colour(c.place)}` }), c.head)));
  const title = (name) => h("tr", {}, h("th", { scope: "rowgroup", colspan: columns.length + 1 }, name));
  const rows = (list, translate = "no") => list.map((l) => h("tr", {}, h("th", { scope: "row", translate: facts.includes(l.name) ? null : translate }, l.name),
    ...l.values.map((v) => h("td", { class: "number", translate: Array.isArray(v) ? null : translate }, v ?? "–"))));
  const group = (name, list, translate) => list.length === 0 ? null : h("tbody", {}, title(name), ...rows(list, translate));
  return [
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "compare-head" },
      h("table", { class: "compare", "aria-labelledby": "compare-head" }, h("thead", {}, head), group("results", results, null),
        group(one ? "settings that are not the default" : "settings that differ", shown), one ? null : lacking(settings.filter((l) => !whole(l)), title, rows))),
    h("ul", { class: "notes" }, ...notes(columns).map(([note, heads]) => h("li", {}, ...heads.flatMap((head, i) => i > 0 ? [", ", head] : [head]), ": ", ...remark(note)))),
  ];
}

// notes returns each note once, with the runs that it is about.
function notes(columns) {
  const about = new Map();
  for (const c of columns) {
    for (const note of c.notes) about.set(note, [...(about.get(note) ?? []), c.head]);
  }
  return [...about];
}

// lacking are the settings that only some of the runs have: models of several kinds have many.
function lacking(list, title, rows) {
  const name = "settings that only some of them have";
  if (list.length <= most) return list.length === 0 ? null : h("tbody", {}, title(name), ...rows(list));
  const all = rows(list);
  const button = h("button", { type: "button", onclick: () => show(!open) }, `${list.length} ${name}`);
  const show = (value) => {
    open = value;
    button.setAttribute("aria-expanded", String(open));
    for (const row of all) row.hidden = !open;
  };
  show(open);
  return h("tbody", {}, title(button), ...all);
}
