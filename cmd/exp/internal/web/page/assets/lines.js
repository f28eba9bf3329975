// A panel of curves over the epochs, with a cursor for mouse, touch and arrow keys that shows the
// values.

import { h, s } from "./dom.js";
import { frame, ticks, whole } from "./axes.js";

// Panel draws curves of one unit. Each curve is {name, run, split, colour, points: [[epoch, value]…]}
// with at least one point. The axis spans at least the range least, so that tiny changes of a run
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
    const epochs = all.map((p) => p[0]), values = all.map((p) => p[1]);
    let [first, last] = [Math.min(...epochs), Math.max(...epochs)];
    let [low, high] = [Math.min(...values), Math.max(...values)];
    const short = Math.max(0, this.least - (high - low)) / 2;
    const margin = 0.04 * (high - low + 2 * short);
    [low, high] = [Math.min(low, Math.max(0, low - short)) - margin, high + short + margin];
    this.range = [first, last];
    if (first === last) [first, last] = [first - 1, last + 1]; // its dot is in the middle
    const height = Math.round(Math.max(190, Math.min(300, width * 0.62)));
    const f = (this.frame = frame(width, height,
      { low: first, high: last, ticks: whole(first, last, width / 70), label: "epoch" },
      { low, high, ticks: ticks(low, high, height / 36), label: this.unit }));
    for (const c of this.curves) {
      const points = c.points.map(([e, v]) => `${f.xs(e).toFixed(1)},${f.ys(v).toFixed(1)}`);
      if (points.length === 1) {
        f.area.append(s("circle", { cx: f.xs(c.points[0][0]), cy: f.ys(c.points[0][1]), r: 3, class: `dot ${c.colour}` }));
      }
      f.area.append(s("polyline", { points: points.join(" "), class: `curve ${c.colour} ${c.split}`, "data-run": c.run, "data-epochs": c.points.length }));
    }
    this.cursor = s("g", { class: "cursor" });
    f.area.append(this.cursor);
    f.svg.prepend(s("title", {}, this.summary()));
    this.box.replaceChildren(f.svg);
    this.read(this.at);
  }

  // summary describes the curves in words.
  summary() {
    const parts = this.curves.map((c) => {
      const [epoch, value] = c.points.at(-1);
      return `${c.name} ${value.toFixed(this.digits)} after epoch ${epoch}`;
    });
    return `${this.title} (${this.unit}): ${parts.join("; ")}`;
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
    const parts = [h("b", {}, `epoch ${epoch}`)];
    this.cursor.append(s("line", { x1: xs(epoch), x2: xs(epoch), y1: margin.top, y2: bottom }));
    for (const c of this.curves) {
      const p = c.points.find(([e]) => e === epoch);
      if (!p) continue;
      this.cursor.append(s("circle", { cx: xs(epoch), cy: ys(p[1]), r: 3.5, class: `dot ${c.colour}` }));
      parts.push(h("span", {}, h("i", { class: `key ${c.colour} ${c.split}` }), `${c.name} ${p[1].toFixed(this.digits)}`));
    }
    this.readout.replaceChildren(...parts);
  }
}
