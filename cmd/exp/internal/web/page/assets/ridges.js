// Histograms of the entropies of an attention, a ridge for each epoch, the first one at the back, as
// TensorBoard draws them.

import { h, s } from "./dom.js";
import { frame, ticks, whole, whenWide } from "./axes.js";

const most = 60; // ridges; of more epochs every second, third… is drawn
const overlap = 0.22; // height of the fullest bin, as a share of the panel

// Ridges draws a page.Entropies.
export class Ridges {
  constructor() {
    this.element = h("div", { class: "panels few" });
    this.shown = null;
    whenWide(this.element, () => this.draw());
  }

  // draw draws histograms; without an argument it draws the same ones again. It returns whether there
  // are any.
  draw(shown = this.shown) {
    this.shown = shown;
    const some = Boolean(shown) && shown.histograms.length > 0, place = this.element;
    place.hidden = !some;
    if (!some) return false;
    const highest = Math.max(...shown.histograms.map((g) => g.lo + g.step * (1 + g.counts.findLastIndex((n) => n > 0))));
    const high = Math.max(highest, shown.uniform) * 1.04;
    const peak = Math.max(...shown.histograms.map((g) => Math.max(...g.counts) / total(g)));
    const splits = ["train", "test"].filter((split) => shown.histograms.some((g) => g.split === split));
    while (place.children.length > splits.length) place.lastChild.remove();
    splits.forEach((split, i) => {
      if (!place.children[i]) place.append(h("figure", { class: "panel" }, h("figcaption"), h("div", { class: "plot" })));
      const figure = place.children[i];
      const list = thin(shown.histograms.filter((g) => g.split === split));
      figure.querySelector("figcaption").textContent = `${split}: one ridge an epoch`;
      figure.querySelector(".plot").replaceChildren(panel(shown, split, list, high, peak, figure.clientWidth));
    });
    return true;
  }
}

const total = (g) => g.counts.reduce((a, b) => a + b, 0) || 1;

function thin(list) {
  const step = Math.ceil(list.length / most);
  return list.filter((_, i) => (list.length - 1 - i) % step === 0); // always with the last
}

function panel(shown, split, list, high, peak, width) {
  const height = Math.round(Math.max(240, Math.min(380, width * 0.75)));
  const first = list[0].epoch, last = list.at(-1).epoch;
  const span = Math.max(1, last - first), tallest = (span * overlap) / (1 - overlap);
  const f = frame(width, height,
    { low: 0, high, ticks: ticks(0, high, width / 60), label: shown.share ? "entropy / log n" : "entropy (nats)" },
    { low: first - tallest, high: last + 0.02 * span, ticks: whole(first, last, 6), label: "epoch", flip: true }, 22);
  const narrow = f.xs(shown.uniform) - f.xs(0) < 190; // the labels would overlap
  for (const [value, text] of [[0, "one word"], [shown.uniform, shown.share || narrow ? "uniform" : `uniform at ${shown.at} length`]].slice(0, shown.uniform > 0 ? 2 : 1)) {
    const right = f.xs(value) > (f.margin.left + f.right) / 2;
    f.area.append(s("line", { class: "mark", x1: f.xs(value), x2: f.xs(value), y1: 6, y2: f.bottom }));
    f.area.append(s("text", { class: "marked", x: f.xs(value) + (right ? -4 : 4), y: 14, "text-anchor": right ? "end" : "start" }, text));
  }
  list.forEach((g, i) => {
    const base = f.ys(g.epoch), k = (f.ys(g.epoch) - f.ys(g.epoch - tallest)) / peak / total(g);
    const path = s("path", { d: outline(g, (x) => f.xs(x).toFixed(1), (n) => (base - n * k).toFixed(1)), class: `ridge ${split}${list.length > 25 ? " many" : ""}` });
    path.style.setProperty("--age", list.length > 1 ? i / (list.length - 1) : 1);
    f.area.append(path);
  });
  f.svg.prepend(s("title", {}, `Entropy of the attention on ${split}, epochs ${first} to ${last}; ${describe(list[0])}; ${describe(list.at(-1))}`));
  return f.svg;
}

// describe names the fullest bin of a histogram.
function describe(g) {
  const mode = g.counts.indexOf(Math.max(...g.counts));
  return `after epoch ${g.epoch} most reviews near ${(g.lo + (mode + 0.5) * g.step).toFixed(2)}`;
}

// outline returns the path around a histogram: from the left edge of its first bin that is not
// empty, through the middles of the bins, to the right edge of the last.
function outline(g, x, y) {
  const from = Math.max(0, g.counts.findIndex((n) => n > 0)), to = g.counts.findLastIndex((n) => n > 0);
  let d = `M${x(g.lo + from * g.step)},${y(0)}`;
  if (from === 0) d += `V${y(g.counts[0])}`; // values at zero start at zero
  for (let i = from; i <= to; i++) d += `L${x(g.lo + (i + 0.5) * g.step)},${y(g.counts[i])}`;
  return d + `L${x(g.lo + (to + 1) * g.step)},${y(0)}Z`;
}
