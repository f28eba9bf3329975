// The curves of runs: loss, accuracy and mean entropy over the epochs.

import { h } from "./dom.js";
import { Panel } from "./lines.js";
import { colour, whenWide } from "./axes.js";

const splits = ["train", "valid", "test"];

// Curves draws runs, each {key, name, translates, metrics, spread, error}. hidden() returns the
// splits that are not drawn; hide(list) is called to change them. Pointing at a run's name in the legend makes the
// others faint; a click keeps it so.
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
    this.only = null; // the run that is not faint
    whenWide(this.place, () => this.draw());
  }

  // draw draws runs; without an argument it draws the same runs again.
  draw(shown = this.shown) {
    this.shown = shown;
    this.place.hidden = this.legend.hidden = shown.length === 0;
    const lists = this.panels.map((p) => this.curves(p));
    this.panels.forEach(({ panel }, i) => (panel.element.hidden = lists[i].length === 0));
    const drawn = lists.filter((list) => list.length > 0).length;
    this.place.classList.toggle("few", drawn < 3 || drawn === 4);
    this.panels.forEach(({ panel }, i) => panel.draw(lists[i], panel.element.clientWidth)); // at the present width
    const several = shown.length > 1 || null, many = shown.length > 8, names = this.names(), spread = shown.some((d) => d.spread.some((s) => Object.keys(s).length > 0));
    this.legend.replaceChildren(h("div", { class: "names" }, ...shown.map((d, i) => h(several ? "button" : "span", {
      class: "run", type: several && "button", "data-focus": d.key, "aria-pressed": several && String(this.only === d.key),
      onpointerenter: () => this.light(d.key), onpointerleave: () => this.light(), onfocus: () => this.light(d.key), onblur: () => this.light(), onclick: () => this.keep(d.key),
    }, h("i", { class: `key ${this.colour(i) || "test"}` }), many ? names[i] : d.name, d.error ? h("small", {}, d.error.message) : null))), this.switches(),
      !spread ? "" : h("p", { class: "hint" }, "Of several seeds: the mean, with a band of ± one standard deviation."),
      !many ? "" : h("p", { class: "hint" }, "Eight have a colour. Point at a name, or click it, to see one among the others."));
    this.light();
  }

  // light makes all runs but one faint.
  light(key = this.only) {
    const on = key !== null && this.shown.length > 1;
    for (const e of this.place.querySelectorAll("[data-run]")) {
      const lit = on && e.dataset.run === key;
      e.classList.toggle("faded", on && !lit);
      e.classList.toggle("lit", lit);
      if (lit) e.parentNode.append(e); // above the others
    }
  }

  keep(key) {
    this.only = this.only === key ? null : key;
    for (const b of this.legend.querySelectorAll("[data-focus]")) b.setAttribute("aria-pressed", String(b.dataset.focus === this.only));
    this.light();
  }

  // colour returns the class of a run's colour, its place among those shown.
  colour(i) {
    return this.shown.length === 1 ? null : colour(i);
  }

  // names are the names of the runs without the number of seeds or trials and the words that all have.
  names() {
    const words = this.shown.map((d) => d.name.replace(/, \d+ (seeds|trials of a search)$/, "").split(" "));
    return words.map((list, i) => list.filter((w) => words.length === 1 || words.some((other) => !other.includes(w))).join(" ") || this.shown[i].name);
  }

  curves({ of, shows }) {
    const out = [], one = this.shown.length === 1, names = this.names();
    this.shown.forEach((d, i) => {
      if (shows && !shows(d)) return;
      const own = splits.filter((split) => !this.hidden().includes(split)).map((split) => {
        const key = `${split}_${of}`, points = d.metrics.map((m, k) => [m.epoch, m[key], d.spread[k]?.[key]].filter((v) => v !== undefined)).filter((p) => Number.isFinite(p[1]));
        return { name: one ? split : `${d.name} ${split}`, run: d.key, split, colour: this.colour(i) || split, label: one ? split : null, points };
      }).filter((c) => c.points.length > 0);
      if (!one && own.length > 0) own.at(-1).label = names[i]; // test, if it is there
      out.push(...own);
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
