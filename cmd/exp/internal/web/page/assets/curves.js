// The curves of runs: loss, accuracy and mean entropy over the epochs.

import { h } from "./dom.js";
import { Panel } from "./lines.js";
import { whenWide } from "./axes.js";

const splits = ["train", "valid", "test"];

// Curves draws up to eight runs, each {key, name, translates, metrics, error}. hidden() returns the
// splits that are not drawn; hide(list) is called to change them.
export class Curves {
  constructor(hidden, hide) {
    [this.hidden, this.hide] = [hidden, hide];
    this.panels = [
      { panel: new Panel("Loss", "nats", 4, 0.1), of: "loss" },
      { panel: new Panel("Accuracy", "%", 2, 10), of: "acc", shows: (d) => !d.translates },
      { panel: new Panel("Next words right", "%", 2, 10), of: "acc", shows: (d) => d.translates },
      { panel: new Panel("Exact match", "%", 2, 10), of: "exact" },
      { panel: new Panel("Mean entropy of the attention", "nats", 3, 0.1), of: "entropy" },
    ];
    this.legend = h("div", { class: "legend" });
    this.place = h("div", { class: "panels" }, ...this.panels.map((p) => p.panel.element));
    this.elements = [this.legend, this.place];
    this.shown = [];
    whenWide(this.place, () => this.draw());
  }

  // draw draws runs; without an argument it draws the same runs again.
  draw(shown = this.shown) {
    this.shown = shown;
    this.place.hidden = this.legend.hidden = shown.length === 0;
    const lists = this.panels.map((p) => this.curves(p).filter((c) => c.points.length > 0));
    this.panels.forEach(({ panel }, i) => (panel.element.hidden = lists[i].length === 0));
    const drawn = lists.filter((list) => list.length > 0).length;
    this.place.classList.toggle("few", drawn < 3 || drawn === 4);
    this.panels.forEach(({ panel }, i) => panel.draw(lists[i], panel.element.clientWidth)); // at the present width
    this.legend.replaceChildren(...shown.map((d, i) => h("span", { class: "run" },
      h("i", { class: `key ${this.colour(i) || "test"}` }), d.name, d.error ? h("small", {}, d.error.message) : null)), this.switches());
  }

  // colour returns the class of a run's colour, its place among those shown.
  colour(i) {
    return this.shown.length === 1 ? null : "c" + i;
  }

  curves({ of, shows }) {
    const out = [];
    this.shown.forEach((d, i) => {
      if (shows && !shows(d)) return;
      for (const split of splits) {
        if (this.hidden().includes(split)) continue;
        const points = d.metrics.filter((m) => Number.isFinite(m[`${split}_${of}`])).map((m) => [m.epoch, m[`${split}_${of}`]]);
        const name = this.shown.length === 1 ? split : `${d.name} ${split}`;
        out.push({ name, run: d.key, split, colour: this.colour(i) || split, points });
      }
    });
    return out;
  }

  // switches turn the splits on and off.
  switches() {
    const there = splits.filter((split) => this.shown.some((d) => d.metrics.some((m) => Number.isFinite(m[`${split}_loss`]))));
    return h("span", { class: "splits" }, ...there.map((split) => h("label", {},
      h("input", { type: "checkbox", name: "split", value: split, checked: !this.hidden().includes(split), onchange: (event) => this.toggle(event) }),
      h("i", { class: `key ${this.shown.length === 1 ? split : "plain " + split}` }), split)));
  }

  toggle(event) {
    const split = event.target.value;
    const hide = this.hidden().filter((other) => other !== split);
    if (!event.target.checked) hide.push(split);
    this.hide(hide);
    this.legend.querySelector(`input[value=${split}]`)?.focus(); // it was replaced
  }
}
