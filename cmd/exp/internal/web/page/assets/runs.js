// The runs that the page knows, and the table of them.

import { $, h, options, own, remark, visible } from "./dom.js";
import { state, set, onChange } from "./state.js";
import { backend } from "./backend.js";
import { asShown } from "./french.js";

const { page, columns } = JSON.parse($("page").textContent);
const step = 200; // rows that are shown at first, and with each press of the button below

const known = new Map(); // rows by key: of runs, and of settings with several
let order = []; // keys of the lines of the table, newest first
let local = []; // rows of runs that were trained in the page, newest first
let listed = step; // rows that are shown at most
let note = "";
const opened = new Map(); // by key of a setting: whether its runs are shown
const details = new WeakMap(); // by row
const drawn = new Map(); // by key: the <tr> and the row that it shows
let empty = []; // of each column, whether no row has anything there

// update takes in the runs; it returns the keys of new and changed rows.
export function update(change) {
  const changed = change.rows.filter((r) => JSON.stringify(r) !== JSON.stringify(known.get(r.key)));
  for (const row of changed) known.set(row.key, row);
  ({ order, note } = change);
  const there = new Set(order.flatMap((key) => [key, ...(known.get(key).runs ?? [])]));
  for (const key of [...known.keys()].filter((k) => !there.has(k))) known.delete(key);
  for (const key of [...drawn.keys()].filter((k) => !row(k))) drawn.delete(key);
  if (state.runs === null && order.length > 0) state.runs = choice(); // the page's, until the visitor makes one
  render();
  return changed.map((r) => r.key);
}

// addTrained adds a run that was trained in the page: e is a train.Ended.
export function addTrained(e, shows) {
  const name = e.run.split("/")[0], m = e.last;
  const label = e.run.slice(0, name.length + 7).replace("/", " ");
  const values = { name: label, set: e.about, data: "sample", state: "trained here", epoch: m.epoch, test_acc: m.test_acc, train_acc: m.train_acc, test_loss: m.test_loss, entropy: m.test_entropy };
  const cells = columns.map(({ key, digits }) => ({ text: values[key] === null ? "–" : digits > 0 && key in values ? values[key].toFixed(digits) : String(values[key] ?? ""), by: values[key] ?? null }));
  local = [{ key: e.key, label, runs: null, asked: e.key, name, shows, settings: `trained here, ${e.about}`, state: "finished", epoch: m.epoch, cells, notes: [], model: "", data: "sample", score: m.test_acc, attends: m.test_entropy !== null, translates: false, ended: e },
    ...local.filter((r) => r.key !== e.key)];
  render();
}

export const row = (key) => known.get(key) ?? local.find((r) => r.key === key);

// all returns the lines of the table.
export const all = () => [...local, ...order.map((key) => known.get(key))];

// trials returns how many runs have a validation score alone, such as those of a search.
export const trials = () => count(all().filter((r) => r.score === null && r.cells[columns.findIndex((c) => c.key === "valid_acc")].by !== null));

// chosen returns the rows of the chosen runs.
export const chosen = () => (state.runs || []).map(row).filter(Boolean);

// detail returns the curves of a row, and its column in the comparison.
export function detail(r) {
  if (!details.has(r)) details.set(r, r.ended ? trained(r) : backend.run(r.key));
  return details.get(r);
}

async function trained(r) {
  const e = r.ended;
  const metrics = e.metrics.trim().split("\n").map((line) => JSON.parse(line));
  const results = [{ name: "Test accuracy (%)", text: e.last.test_acc.toFixed(2) }, { name: "Citation", text: e.citation }];
  return { metrics, spread: [], entropies: [], column: { head: r.label, results, settings: [{ name: "settings", text: e.about, from: "" }], notes: [] } };
}

// choice returns the runs that the page chooses: all that are in a page without a server. Of a
// folder, the most accurate run with attention and the mean on the same data, or the newest run.
function choice() {
  if (!page.live) return order;
  const rows = all().filter((r) => r.epoch > 0 && r.score !== null && !r.translates);
  const best = (list) => list.reduce((a, b) => (a && a.score >= b.score ? a : b), null);
  const first = best(rows.filter((r) => r.attends)) ?? best(rows) ?? all().find((r) => r.epoch > 0);
  const mean = first && best(rows.filter((r) => r.model === "mean" && r.data === first.data && r !== first));
  return [first, mean].filter(Boolean).map((r) => r.key);
}

function shown() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const list = all().filter((r) => {
    const text = [r, ...runsOf(r)].flatMap((one) => [one.key, ...one.cells.flatMap((c) => [c.text, asShown(c.text)]), ...one.notes]).join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const down = state.sort.startsWith("-"), i = columns.findIndex((c) => c.key === state.sort.replace(/^-/, ""));
  return i < 0 ? list : list.sort((a, b) => compare(a.cells[i].by, b.cells[i].by, down));
}

function compare(a, b, down) {
  if (a === null || b === null) return (a === null) - (b === null); // missing values come last
  const order = a < b ? -1 : a > b ? 1 : 0;
  return down ? -order : order;
}

// runsOf returns the rows of the runs of a setting.
const runsOf = (r) => (r.runs ?? []).map(row);

const count = (rows) => rows.reduce((n, r) => n + (r.runs?.length ?? 1), 0);

// isOpen reports whether the runs of a setting are shown: at first if one of them is chosen.
const isOpen = (r) => opened.get(r.key) ?? r.runs.some((key) => state.runs?.includes(key));

function render() {
  const list = shown(), body = $("runs").tBodies[0], rowless = columns.map((_, i) => i > 0 && all().every((r) => r.cells[i].by === null));
  if (String(rowless) !== String(empty)) {
    empty = rowless;
    drawn.clear();
    [...$("runs").tHead.rows[0].cells].slice(1).forEach((th, i) => (th.hidden = empty[i]));
  }
  const rows = list.slice(0, listed).flatMap((r) => r.runs && isOpen(r) ? [element(r), ...runsOf(r).map((one) => element(one, r))] : [element(r)]);
  const now = [...body.rows];
  if (rows.length !== now.length || rows.some((tr, i) => tr !== now[i])) {
    const focused = document.activeElement;
    body.replaceChildren(...rows);
    if (body.contains(focused)) focused.focus({ preventScroll: true });
  }
  const picked = new Set(state.runs || []);
  for (const tr of rows) {
    tr.querySelector("input").checked = picked.has(tr.dataset.key);
    tr.querySelector("[aria-expanded]")?.setAttribute("aria-expanded", String(isOpen(row(tr.dataset.key))));
  }
  const n = count(all());
  $("count").textContent = `${count(list)} of ${n} ${n === 1 ? "run" : "runs"}`;
  $("rest").hidden = list.length <= listed;
  $("rest").textContent = `Show ${Math.min(step, list.length - listed)} more`;
  $("none").disabled = picked.size === 0;
  $("all").disabled = list.every((r) => picked.has(r.key));
  $("no-runs").hidden = n > 0;
  $("averaged").hidden = !all().some((r) => r.runs);
  $("note").textContent = visible(note);
  for (const th of $("runs").querySelectorAll("thead th[data-key]")) {
    const direction = { [th.dataset.key]: "ascending", ["-" + th.dataset.key]: "descending" }[state.sort];
    if (direction) th.setAttribute("aria-sort", direction);
    else th.removeAttribute("aria-sort");
  }
}

// element returns the <tr> of a row, or of one of the runs within a row. One that has changed gets new cells and
// keeps its box, which may have the focus. Notes of the row are not repeated.
function element(r, within = null) {
  const before = drawn.get(r.key);
  if (before?.row === r && before.within === within) return before.tr;
  const id = "run:" + r.key;
  const tr = before?.tr || h("tr", { "data-key": r.key }, h("td", { class: "box" }, h("input", { type: "checkbox", name: "run", value: r.key, id })));
  tr.classList.toggle("within", within !== null);
  while (tr.cells.length > 1) tr.lastElementChild.remove();
  const open = r.runs && h("button", { type: "button", "aria-expanded": "false", "aria-label": `single runs of ${r.label}`, onclick: () => {
    opened.set(r.key, !isOpen(r));
    render();
  } });
  const more = r.runs ? r.label.slice(r.name.length) : within && `, seed ${r.cells[columns.findIndex((c) => c.key === "seed")].text}`;
  r.cells.forEach((cell, i) => {
    const c = columns[i], wide = `w${c.width}`;
    tr.append(i === 0
      ? h("th", { scope: "row", class: wide, title: r.shows || false }, open, h("label", { for: id }, own(r.runs ? r.name : cell.text), more && h("span", { class: "narrow" }, more)), ...r.notes.filter((note) => !within?.notes.includes(note)).map((note) => h("small", {}, ...remark(note))))
      : h("td", { class: wide + (c.number ? " number" : ""), hidden: empty[i], translate: ["optimizer", "variant", "set", "data"].includes(c.key) && "no" }, cell.text));
  });
  if (before?.row !== r && before) { // it has changed: a flash
    tr.classList.remove("changed");
    requestAnimationFrame(() => tr.classList.add("changed"));
  }
  drawn.set(r.key, { tr, row: r, within });
  return tr;
}

// choose chooses a row, or no longer.
export function choose(key, on) {
  const now = (state.runs || []).filter((k) => k !== key && row(k));
  set({ runs: on ? [...now, key] : now });
}

// addable puts the other rows of a kind into a <select>, or says why there are none.
export function addable(select, translates, full) {
  const rest = all().filter((r) => r.epoch > 0 && r.translates === translates && !(state.runs || []).includes(r.key));
  options(select, [["", full || "choose a run …"], ...(full ? [] : rest.map((r) => [r.key, `${r.label}: ${r.shows}`]))], "");
}

export function start() {
  $("filter").value = state.q;
  $("runs").tHead.replaceChildren(h("tr", {}, h("th", { class: "box", scope: "col" }, h("span", { class: "unseen" }, "chosen")),
    ...columns.map((c) => h("th", { scope: "col", class: `w${c.width}${c.number ? " number" : ""}`, "data-key": c.key }, h("button", { type: "button", title: c.title, onclick: () => sortBy(c) }, c.head)))));
  $("filter").addEventListener("input", () => set({ q: $("filter").value.trim() }));
  $("choose").addEventListener("submit", (event) => event.preventDefault());
  $("none").addEventListener("click", () => set({ runs: [] }));
  $("all").addEventListener("click", () => set({ runs: [...new Set([...(state.runs || []), ...shown().map((r) => r.key)])] }));
  $("rest").addEventListener("click", () => {
    listed += step;
    render();
  });
  $("runs").tBodies[0].addEventListener("change", (event) => {
    if (event.target.name === "run") choose(event.target.value, event.target.checked);
  });
  onChange(["q", "sort", "runs"], () => {
    if ($("filter").value.trim() !== state.q) $("filter").value = state.q;
    render();
  });
}

function sortBy(c) {
  const [first, second] = c.number ? ["-" + c.key, c.key] : [c.key, "-" + c.key]; // numbers: the largest first
  set({ sort: state.sort === first ? second : first });
}
