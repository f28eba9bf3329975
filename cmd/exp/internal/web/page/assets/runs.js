// The table of runs, kept up to date row by row, so that neither focus nor place is
// lost. Where all runs fit on one page it is sorted and filtered here, as the server does
// it (view.go); of more the server sends the page that is shown.

import { $, h, visible } from "./dom.js";
import { state, set, onChange } from "./state.js";

const most = Number(document.body.dataset.most); // runs chosen at once
const table = $("runs");
const body = table.tBodies[0];
const heads = [...table.querySelectorAll("thead th[data-key]")];
const columns = heads.map((th) => ({
  key: th.dataset.key,
  name: th.textContent,
  number: th.classList.contains("number"),
  wide: [...th.classList].find((c) => /^w\d$/.test(c)),
}));

const rows = new Map(); // by key
let order = []; // keys; of all runs, newest first, or of those on the page
let kept = []; // keys of rows that are known beside these
let page = { whole: true, count: "", page: 1, pages: 1 };
const drawn = new Map(); // by key: the <tr> and the JSON of the row that it shows

// update takes in a change that the server has sent; it returns the keys of the
// rows that are new or have changed.
export function update(change) {
  for (const row of change.rows) rows.set(row.key, row);
  ({ order, kept } = change);
  page = change;
  const there = new Set([...order, ...kept]);
  for (const key of [...rows.keys()].filter((k) => !there.has(k))) {
    rows.delete(key);
    drawn.delete(key);
  }
  $("note").textContent = visible(change.note);
  render();
  return change.rows.map((row) => row.key);
}

export const row = (key) => rows.get(key);

// whole tells whether every run has a row here.
export const whole = () => page.whole;

const listed = (keys) => keys.map((key) => rows.get(key)).filter(Boolean);

// all returns every row that is known, those of the table first.
export const all = () => listed([...order, ...kept]);

// chosen returns the rows of the chosen runs that are there.
export const chosen = () => (state.runs || []).map((key) => rows.get(key)).filter(Boolean);

// label returns what a run is called.
export const label = (r) => r.cells[0].text;

function passes(r) {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => r.search.includes(word));
}

function compare(a, b, down) {
  if (a === null || b === null) return (a === null) - (b === null); // what is missing comes last
  const order = a < b ? -1 : a > b ? 1 : 0;
  return down ? -order : order;
}

function shown() {
  if (!page.whole) return listed(order);
  const list = listed(order).filter(passes);
  const key = state.sort.replace(/^-/, "");
  const i = columns.findIndex((c) => c.key === key);
  if (i >= 0) list.sort((a, b) => compare(a.cells[i].by, b.cells[i].by, state.sort.startsWith("-")));
  return list;
}

function render() {
  const list = shown();
  const wanted = list.map((r) => element(r));
  const now = [...body.rows];
  if (wanted.length !== now.length || wanted.some((tr, i) => tr !== now[i])) {
    const focused = document.activeElement;
    body.replaceChildren(...wanted);
    if (body.contains(focused)) focused.focus({ preventScroll: true });
  }
  const picked = new Set(state.runs || []);
  for (const tr of wanted) tr.querySelector("input").checked = picked.has(tr.dataset.key);
  $("count").textContent = page.whole ? `${list.length} of ${rows.size} ${rows.size === 1 ? "run" : "runs"}` : page.count;
  turns();
  $("none").disabled = picked.size === 0;
  for (const th of heads) {
    const key = th.dataset.key;
    if (state.sort === key) th.setAttribute("aria-sort", "ascending");
    else if (state.sort === "-" + key) th.setAttribute("aria-sort", "descending");
    else th.removeAttribute("aria-sort");
  }
  table.parentElement.querySelector(".empty")?.toggleAttribute("hidden", rows.size > 0);
}

// turns shows the ways to the pages before and after this one.
function turns() {
  $("pages").hidden = page.pages <= 1;
  for (const a of $("pages").querySelectorAll("a")) {
    const to = page.page + Number(a.dataset.by);
    const query = new URLSearchParams(location.search);
    query.set("page", to);
    if (to < 1 || to > page.pages) a.removeAttribute("href");
    else a.href = "?" + query;
  }
}

// element returns the <tr> of a row; one that has changed gets new cells, but keeps
// its box, which may have the focus.
function element(r) {
  const text = JSON.stringify(r);
  const known = drawn.get(r.key);
  if (known?.text === text) return known.tr;
  const id = "run:" + r.key;
  const tr = known?.tr || h("tr", { "data-key": r.key },
    h("td", { class: "box" }, h("input", { type: "checkbox", name: "run", value: r.key, id })));
  while (tr.cells.length > 1) tr.lastElementChild.remove();
  r.cells.forEach((cell, i) => {
    const c = columns[i];
    tr.append(i === 0
      ? h("th", { scope: "row", class: c.wide }, h("label", { for: id }, cell.text), ...r.notes.map((note) => h("small", {}, note)))
      : h("td", { class: c.wide + (c.number ? " number" : "") }, cell.text));
  });
  if (known?.text) flash(tr);
  drawn.set(r.key, { tr, text });
  return tr;
}

// flash shows for a moment that a row has changed.
function flash(tr) {
  tr.classList.remove("changed");
  requestAnimationFrame(() => tr.classList.add("changed"));
}

function choose(key, on) {
  const now = (state.runs || []).filter((k) => k !== key);
  if (on && now.length >= most) {
    $("note").textContent = `At most ${most} runs are drawn at once.`;
    render();
    return;
  }
  set({ runs: on ? [...now, key] : now });
}

// start makes the table that the server has sent a live one.
export function start() {
  const box = $("filter");
  if (!state.q) state.q = box.value.trim(); // typed before the scripts ran
  box.value = state.q;
  if (state.runs === null) {
    state.runs = [...body.querySelectorAll("input:checked")].map((input) => input.value);
  }
  for (const tr of body.rows) drawn.set(tr.dataset.key, { tr, text: "" }); // the server's rows stay
  box.addEventListener("input", () => set({ q: box.value.trim() }));
  $("choose").addEventListener("submit", (event) => event.preventDefault());
  $("none").addEventListener("click", () => set({ runs: [] }));
  body.addEventListener("change", (event) => {
    if (event.target.name === "run") choose(event.target.value, event.target.checked);
  });
  table.tHead.addEventListener("click", (event) => {
    const th = event.target.closest("th[data-key]");
    if (!th || !event.target.closest("a") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const c = columns.find((column) => column.key === th.dataset.key);
    const first = c.number ? "-" + c.key : c.key; // numbers: the largest first
    const other = c.number ? c.key : "-" + c.key;
    set({ sort: state.sort === first ? other : first });
  });
  $("pages").addEventListener("click", (event) => {
    const a = event.target.closest("a[href]");
    if (!a || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    table.parentElement.scrollTop = 0;
    set({ page: page.page + Number(a.dataset.by) });
  });
  onChange(["q", "sort", "runs"], render);
}
