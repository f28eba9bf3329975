// The attention of every word, in one head or the mean of a layer's: as arcs from the words on
// the left to those on the right, and as a matrix.

import { h, s } from "./dom.js";
import { percent } from "./text.js";

let arcs = true; // or the matrix

const line = 20; // height of a word
const least = 1.5; // equal shares: arcs of less would cover the others

const short = (word) => word.length > 16 ? word.slice(0, 15) + "…" : word;

// strength is the strength of a shade: 0 up to an equal share, then a step for each doubling.
export const strength = (w, n) => Math.min(1, Math.max(0, Math.log2(w * n)) / 5);

function drawing(x) {
  const n = x.words.length, left = 130, right = 300;
  const y = (i) => (i + 0.5) * line;
  const lines = [], words = [];
  const readout = h("output", { class: "readout", "aria-live": "polite" });
  x.rows.forEach((row, i) => row.forEach((w, j) => {
    if (w * n <= least) return;
    const path = s("path", { d: `M${left} ${y(i)}C${left + 70} ${y(i)} ${right - 70} ${y(j)} ${right} ${y(j)}`, class: "arc" });
    path.style.setProperty("--s", strength(w, n).toFixed(3));
    lines.push([i, j, path]);
  }));
  const mark = (side, i) => {
    lines.forEach(([from, to, path]) => path.classList.toggle("faded", i >= 0 && (side === 0 ? from : to) !== i));
    words.forEach(([on, k, text]) => text.classList.toggle("read", on === side && k === i));
    if (i < 0) readout.textContent = "";
    else if (side === 0) readout.textContent = `${x.words[i]} attends to ` + top(x.rows[i]).map((j) => `${x.words[j]} ${percent(x.rows[i][j])}`).join(", ");
    else readout.textContent = `${x.words[i]} is attended to by ` + top(x.rows.map((r) => r[i])).map((j) => `${x.words[j]} ${percent(x.rows[j][i])}`).join(", ");
  };
  for (const side of [0, 1]) {
    x.words.forEach((w, i) => {
      const text = s("text", { x: side ? right + 6 : left - 6, y: y(i) + 4, "text-anchor": side ? "start" : "end", class: "arcword", translate: "no" }, short(w));
      text.addEventListener("pointerenter", () => mark(side, i));
      text.addEventListener("pointerleave", () => mark(side, -1));
      words.push([side, i, text]);
    });
  }
  const picture = s("svg", { viewBox: `0 0 430 ${n * line}`, width: 430, height: n * line, role: "img", tabindex: "0", "aria-label": "arcs from each word to those that it attends to with more than 1.5 times an equal share; the arrow keys go from word to word" },
    ...lines.map(([, , path]) => path), ...words.map(([, , text]) => text));
  let at = -1;
  picture.addEventListener("keydown", (event) => {
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: n - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    at = Math.max(0, Math.min(n - 1, to));
    mark(0, at);
    event.preventDefault();
  });
  return [picture, readout];
}

const top = (row) => row.map((_, j) => j).filter((j) => row[j] > 0).sort((i, j) => row[j] - row[i]).slice(0, 5);

// grid is a table of weights, a row for each word; a row may end before the last column. Its cells
// have numbers if there is room, or always.
export function grid(rows, columns, weights, always) {
  const n = columns.length, numbers = always || n <= 12;
  const cell = (w, of) => {
    if (w === undefined) return h("td", {});
    const td = h("td", { class: "weight", title: percent(w) }, numbers ? w.toFixed(2) : h("span", { class: "unseen" }, w.toFixed(2)));
    td.style.setProperty("--s", strength(w, of).toFixed(3));
    return td;
  };
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "each row is a word, each column a word that it attends to" },
    h("table", { class: "matrix", "aria-label": "weights" }, h("thead", {}, h("tr", {}, h("td", {}), ...columns.map((w) => h("th", { scope: "col", translate: "no" }, h("span", {}, short(w)))))),
      h("tbody", {}, ...weights.map((row, i) => h("tr", {}, h("th", { scope: "row", translate: "no" }, short(rows[i])), ...columns.map((_, j) => cell(row[j], row.length)))))));
}

// matrix shows both, one at a time; heads are those of each layer.
export function matrix(x, heads) {
  const body = h("div", {}), how = h("p", { class: "hint" });
  const choose = [["Arcs", true], ["Matrix", false]].map(([name, value]) => h("button", { type: "button", "data-focus": name, onclick: () => go(value) }, name));
  const go = (value) => {
    arcs = value;
    choose.forEach((b, i) => b.setAttribute("aria-pressed", String(arcs === (i === 0))));
    how.textContent = (arcs ? "From each word on the left to the words that it attends to with more than 1.5 times an equal share." : "Each row shows the attention of one word; it adds up to one.") + " Choose layer and head above.";
    body.replaceChildren(...(arcs ? drawing(x) : [grid(x.words, x.words, x.rows)]));
  };
  go(arcs);
  return h("div", { class: "steps" }, h("h3", {}, `The attention of every word, layer ${x.layer}, ${x.head ? `head ${x.head}` : heads[x.layer - 1] > 1 ? "the mean of its heads" : "its only head"}`),
    h("div", { class: "bar", role: "group", "aria-label": "drawn as" }, ...choose), how, body);
}
