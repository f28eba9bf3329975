// The runs that the page knows, and the table of them.

import { $, h, options, visible } from "./dom.js";
import { state, set, onChange } from "./state.js";
import { backend } from "./backend.js";

const { page, columns, runs: most } = JSON.parse($("page").textContent);
const step = 200; // rows that are shown at first, and with each press of the button below

const known = new Map(); // rows by key
let order = []; // keys, newest first
let local = []; // rows of runs that were trained in the page, newest first
let listed = step; // rows that are shown at most
let note = "";
const drawn = new Map(); // by key: the <tr> and the row that it shows

// update takes in a change of the runs; it returns the keys of new and changed rows.
export function update(change) {
  for (const row of change.rows) known.set(row.key, row);
  ({ order, note } = change);
  const there = new Set(order);
  for (const key of [...known.keys()].filter((k) => !there.has(k))) known.delete(key);
  for (const key of [...drawn.keys()].filter((k) => !row(k))) drawn.delete(key);
  if (state.runs === null && order.length > 0) state.runs = choice(); // the page's, until the visitor makes one
  render();
  return change.rows.map((r) => r.key);
}

// addTrained adds a run that was trained in the page: e is a train.Ended.
export function addTrained(e, shows) {
  const name = e.run.split("/")[0], m = e.last;
  const values = { name: e.run.slice(0, name.length + 7).replace("/", " "), set: e.about, data: "sample", state: "trained here", epoch: m.epoch, test_acc: m.test_acc, train_acc: m.train_acc, test_loss: m.test_loss, entropy: m.test_entropy };
  const digits = { test_acc: 2, train_acc: 2, test_loss: 3, entropy: 2 };
  const cells = columns.map(({ key }) => ({ text: values[key] === null ? "–" : key in digits ? values[key].toFixed(digits[key]) : String(values[key] ?? ""), by: values[key] ?? null }));
  local = [{ key: e.key, name, shows, settings: `trained here, ${e.about}`, state: "finished", epoch: m.epoch, cells, notes: [], model: "", data: "sample", score: m.test_acc, attends: m.test_entropy !== null, translates: false, ended: e },
    ...local.filter((r) => r.key !== e.key)];
  render();
}

export const row = (key) => known.get(key) ?? local.find((r) => r.key === key);

// all returns the rows of all runs.
export const all = () => [...local, ...order.map((key) => known.get(key))];

// chosen returns the rows of the chosen runs.
export const chosen = () => (state.runs || []).map(row).filter(Boolean);

// label returns the name of a run, with the beginning of its ID.
export const label = (r) => r.cells[0].text;

// detail returns the curves of a run, and its column in the comparison.
export async function detail(r) {
  const e = r.ended;
  if (!e) return backend.run(r.key);
  const metrics = e.metrics.trim().split("\n").map((line) => JSON.parse(line));
  const results = [{ name: "Test accuracy (%)", text: e.last.test_acc.toFixed(2) }, { name: "Citation", text: e.citation }];
  return { metrics, places: [], column: { head: label(r), results, settings: [{ name: "settings", text: e.about, from: "" }], notes: [] } };
}

// choice returns the runs that the page chooses: all that are in a page without a server. Of a
// folder, the most accurate run with attention and the mean on the same data, or the newest run.
function choice() {
  if (!page.live) return order.slice(0, most);
  const rows = all().filter((r) => r.epoch > 0 && r.score !== null && !r.translates);
  const best = (list) => list.reduce((a, b) => (a && a.score >= b.score ? a : b), null);
  const first = best(rows.filter((r) => r.attends)) ?? best(rows) ?? all().find((r) => r.epoch > 0);
  const mean = first && best(rows.filter((r) => r.model === "mean" && r.data === first.data && r !== first));
  return [first, mean].filter(Boolean).map((r) => r.key);
}

function shown() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const list = all().filter((r) => {
    const text = [r.key, ...r.cells.map((c) => c.text), ...r.notes].join(" ").toLowerCase();
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

function render() {
  const list = shown(), body = $("runs").tBodies[0];
  const rows = list.slice(0, listed).map(element), now = [...body.rows];
  if (rows.length !== now.length || rows.some((tr, i) => tr !== now[i])) {
    const focused = document.activeElement;
    body.replaceChildren(...rows);
    if (body.contains(focused)) focused.focus({ preventScroll: true });
  }
  const picked = new Set(state.runs || []);
  for (const tr of rows) tr.querySelector("input").checked = picked.has(tr.dataset.key);
  const n = all().length;
  $("count").textContent = `${list.length} of ${n} ${n === 1 ? "run" : "runs"}`;
  $("rest").hidden = list.length <= listed;
  $("rest").textContent = `Show ${Math.min(step, list.length - listed)} more`;
  $("none").disabled = picked.size === 0;
  $("no-runs").hidden = n > 0;
  $("note").textContent = visible(note);
  for (const th of $("runs").querySelectorAll("thead th[data-key]")) {
    const direction = { [th.dataset.key]: "ascending", ["-" + th.dataset.key]: "descending" }[state.sort];
    if (direction) th.setAttribute("aria-sort", direction);
    else th.removeAttribute("aria-sort");
  }
}

// element returns the <tr> of a row. One that has changed gets new cells and keeps its box, which
// may have the focus.
function element(r) {
  const before = drawn.get(r.key);
  if (before?.row === r) return before.tr;
  const id = "run:" + r.key;
  const tr = before?.tr || h("tr", { "data-key": r.key }, h("td", { class: "box" }, h("input", { type: "checkbox", name: "run", value: r.key, id })));
  while (tr.cells.length > 1) tr.lastElementChild.remove();
  r.cells.forEach((cell, i) => {
    const c = columns[i], wide = `w${c.width}`;
    tr.append(i === 0
      ? h("th", { scope: "row", class: wide, title: r.shows || false }, h("label", { for: id }, cell.text), ...r.notes.map((note) => h("small", {}, note)))
      : h("td", { class: wide + (c.number ? " number" : "") }, cell.text));
  });
  if (before) { // it has changed: a flash
    tr.classList.remove("changed");
    requestAnimationFrame(() => tr.classList.add("changed"));
  }
  drawn.set(r.key, { tr, row: r });
  return tr;
}

// choose chooses a run, or no longer.
export function choose(key, on) {
  const now = (state.runs || []).filter((k) => k !== key && row(k));
  if (on && now.length >= most) {
    note = `At most ${most} runs can be chosen.`;
    render();
    return;
  }
  set({ runs: on ? [...now, key] : now });
}

// addable puts the other runs of a kind into a <select>.
export function addable(select, translates) {
  const rest = all().filter((r) => r.epoch > 0 && r.translates === translates && !(state.runs || []).includes(r.key));
  const full = (state.runs || []).length >= most;
  options(select, [["", full ? `at most ${most} runs` : "choose a run …"], ...(full ? [] : rest.map((r) => [r.key, `${label(r)}: ${r.shows}`]))], "");
}

export function start() {
  $("filter").value = state.q;
  $("runs").tHead.replaceChildren(h("tr", {}, h("th", { class: "box", scope: "col" }, h("span", { class: "unseen" }, "chosen")),
    ...columns.map((c) => h("th", { scope: "col", class: `w${c.width}${c.number ? " number" : ""}`, "data-key": c.key }, h("button", { type: "button", title: c.title, onclick: () => sortBy(c) }, c.head)))));
  $("filter").addEventListener("input", () => set({ q: $("filter").value.trim() }));
  $("choose").addEventListener("submit", (event) => event.preventDefault());
  $("none").addEventListener("click", () => set({ runs: [] }));
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
