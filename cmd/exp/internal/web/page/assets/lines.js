// A panel of curves over the epochs, with a cursor for mouse, touch and arrow keys that shows the
// values.

import { h, s } from "./dom.js";
import { frame, ticks, whole } from "./axes.js";

const line = 13; // height of a label
const letter = 6.9; // its width, about
const fewest = 12; // letters of a label that is cut; the legend above has the names too
const told = 12; // values that are read out at most

// Panel draws curves of one unit. Each curve is {name, run, split, colour, label, points: [[epoch, value, deviation]…]}
// with at least one point; with deviations it has a band, with a label its end is named. The axis spans at least the range least, so that tiny changes of a run
// that does not learn look tiny.
export class Panel {
  constructor(title, unit, digits, least) {
    this.title = title;
    this.unit = unit;
    this.digits = digits;
    this.least = least;
    this.curves = [];
    this.at = null; // epoch under the cursor
    this.box = h("div", { class: "plot", tabindex: "0", role: "group", "aria-label": `${title}: the arrow keys show the values` });
    this.readout = h("output", { class: "readout", "aria-live": "polite" });
    this.element = h("figure", { class: "panel" }, h("figcaption", {}, `${title} (${unit})`), this.box, this.readout);
    this.box.addEventListener("pointermove", (event) => this.point(event));
    this.box.addEventListener("pointerdown", (event) => this.point(event));
    this.box.addEventListener("pointerleave", () => this.read(null));
    this.box.addEventListener("keydown", (event) => this.key(event));
  }

  draw(curves, width) {
    this.curves = curves;
    if (curves.length === 0 || !width) return;
    const all = this.curves.flatMap((c) => c.points);
    let [first, last] = [Math.min(...all.map(([e]) => e)), Math.max(...all.map(([e]) => e))];
    let [low, high] = [Math.min(...all.map(([, v, d = 0]) => v - d)), Math.max(...all.map(([, v, d = 0]) => v + d))];
    const short = Math.max(0, this.least - (high - low)) / 2;
    const margin = 0.04 * (high - low + 2 * short);
    [low, high] = [Math.min(low, Math.max(0, low - short)) - margin, high + short + margin];
    this.range = [first, last];
    if (first === last) [first, last] = [first - 1, last + 1]; // its dot is in the middle
    const height = Math.round(Math.max(190, Math.min(300, width * 0.62)));
    const named = this.curves.filter((c) => c.label);
    const letters = (c) => c.label === c.split && document.documentElement.lang === "fr" ? "entraînement".length : c.label.length;
    const longest = Math.max(0, ...named.map(letters)), most = Math.min(longest, Math.floor((0.35 * width - 16) / letter));
    const room = named.length * line < height - 60 && (width > 420 || named.length < 5) && most >= Math.min(longest, fewest);
    const aside = room && named.length > 0 ? 16 + letter * most : 10;
    const f = (this.frame = frame(width, height,
      { low: first, high: last, ticks: whole(first, last, (width - aside) / 60), label: "epoch" },
      { low, high, ticks: ticks(low, high, height / 36), label: this.unit }, 8, aside));
    const path = (points) => points.map(([e, v]) => `${f.xs(e).toFixed(1)},${f.ys(v).toFixed(1)}`).join(" ");
    for (const c of this.curves.toReversed()) { // the first ones on top
      const spread = c.points.filter((p) => p.length > 2);
      f.area.append(s("polygon", { points: path([...spread.map(([e, v, d]) => [e, v + d]), ...spread.map(([e, v, d]) => [e, v - d]).reverse()]), class: `band ${c.colour}${spread.length === 1 ? " lone" : ""}`, "data-run": c.run }));
    }
    for (const c of this.curves.toReversed()) {
      const points = c.points;
      if (points.length === 1) {
        f.area.append(s("circle", { cx: f.xs(points[0][0]), cy: f.ys(points[0][1]), r: 3, class: `dot ${c.colour}`, "data-run": c.run }));
      }
      f.area.append(s("polyline", { points: path(points), class: `curve ${c.colour} ${c.split}`, "data-run": c.run, "data-epochs": points.length }));
    }
    if (room) this.labels(named, most);
    this.cursor = s("g", { class: "cursor" });
    f.area.append(this.cursor);
    f.svg.prepend(s("title", {}, this.summary()));
    this.box.replaceChildren(f.svg);
    this.read(this.at);
  }

  // labels names curves at their ends, at most so many letters long, one below the other.
  labels(named, letters) {
    const { area, ys, right, margin, bottom } = this.frame;
    const list = named.map((c) => [c, ys(c.points.at(-1)[1])]).sort(([, a], [, b]) => a - b), at = list.map(([, y]) => y);
    for (let i = 0; i < at.length; i++) at[i] = Math.max(at[i], i > 0 ? at[i - 1] + line : margin.top + line / 2);
    for (let i = at.length - 1; i >= 0; i--) at[i] = Math.min(at[i], i < at.length - 1 ? at[i + 1] - line : bottom - line / 2);
    list.forEach(([c], i) => area.append(
      s("path", { d: `M${right + 2} ${at[i]}h7`, class: `curve ${c.colour}`, "data-run": c.run }),
      s("text", { x: right + 12, y: at[i], "dominant-baseline": "central", "data-run": c.run }, c.label.length > letters ? c.label.slice(0, letters - 1) + "…" : c.label)));
  }

  // summary describes the curves in words.
  summary() {
    const parts = this.curves.map((c) => {
      return `${c.name} ${this.text(c.points.at(-1))} after epoch ${c.points.at(-1)[0]}`;
    });
    return `${this.title} (${this.unit}): ${parts.join("; ")}`;
  }

  text([, value, deviation]) {
    return value.toFixed(this.digits) + (deviation === undefined ? "" : ` ± ${deviation.toFixed(this.digits)}`);
  }

  point(event) {
    if (!this.frame) return;
    const { xs } = this.frame;
    const x = event.clientX - this.box.getBoundingClientRect().left;
    const [first, last] = this.range;
    let best = first;
    for (let e = first; e <= last; e++) if (Math.abs(xs(e) - x) < Math.abs(xs(best) - x)) best = e;
    this.read(best);
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser's
    const [first, last] = this.range || [0, 0];
    const at = this.at === null ? last + 1 : this.at;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: first, End: last, Escape: null }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.read(to === null ? null : Math.max(first, Math.min(last, to)));
  }

  // read puts the cursor on an epoch.
  read(epoch) {
    this.at = epoch;
    if (!this.cursor) return;
    this.cursor.replaceChildren();
    if (epoch === null) {
      this.readout.replaceChildren();
      return;
    }
    const { xs, ys, margin, bottom } = this.frame;
    this.cursor.append(s("line", { x1: xs(epoch), x2: xs(epoch), y1: margin.top, y2: bottom }));
    const there = this.curves.map((c) => [c, c.points.find(([e]) => e === epoch)]).filter(([, p]) => p);
    if (there.length > told) there.sort(([, p], [, q]) => q[1] - p[1]); // the largest
    const shown = there.slice(0, told);
    this.cursor.append(...shown.map(([c, p]) => s("circle", { cx: xs(epoch), cy: ys(p[1]), r: 3.5, class: `dot ${c.colour}` })));
    this.readout.replaceChildren(h("b", {}, `epoch ${epoch}`), ...shown.map(([c, p]) => h("span", {}, h("i", { class: `key ${c.colour} ${c.split}` }), `${c.name} ${this.text(p)}`)),
      there.length > told ? h("span", {}, `and ${there.length - told} lower ones`) : "");
  }
}
