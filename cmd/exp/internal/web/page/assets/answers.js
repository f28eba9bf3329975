// The answers of several runs about one text, a panel for each. Words can be removed from the
// text. The caller decides who answers.

import { h, options, visible } from "./dom.js";
import { percent } from "./text.js";
import { put, said, show, wordsOf } from "./show.js";

let made = 0; // panels, for their ids

// cut gives the pieces of an answer their places in the text.
function cut(pieces) {
  let at = 0;
  return pieces.map((piece) => ({ ...piece, from: at, to: at += piece.text.length }));
}

export class Answers {
  // box takes the panels, tabs the buttons that choose one of them on a narrow page.
  // by.ask(panel, question, signal) returns a promise of an ask.Answer; by.say(text) gets all
  // answers in a sentence, by.moved(panel) is called when a panel shows another layer, head or
  // word, by.changed() when words are removed or all have answered. by.example() is the example
  // that the text is, or undefined.
  constructor(box, tabs, by) {
    Object.assign(this, { box, tabs, by, panels: [], text: "", gone: new Map(), turn: 0, hangUp: new AbortController(), front: 0 });
  }

  // set shows a panel for each of the runs, in their order, and keeps existing panels. It returns
  // whether the panels have changed. A run is {key, name, about, remove}.
  set(runs) {
    const keys = runs.map((r) => r.key);
    if (keys.join("\n") === this.panels.map((p) => p.key).join("\n")) return false;
    const there = new Map(this.panels.map((p) => [p.key, p]));
    this.panels = runs.map((r) => there.get(r.key) ?? this.panel(r));
    this.box.replaceChildren(...this.panels.map((p) => p.section));
    this.front = Math.min(this.front, Math.max(0, runs.length - 1));
    return true;
  }

  panel(run) {
    const id = `answer${++made}`, box = h("div", {});
    const section = h("section", { "aria-labelledby": id }, h("h2", { id, tabindex: "-1" }, run.name), h("p", { class: "hint" }, ...run.about, " ", run.remove), box);
    return { key: run.key, name: run.name, section, box, drawn: 0, layer: "", head: "", word: "", by: "", steps: false, matrix: false, flip: false, looking: false, every: false, at: -1 };
  }

  // turnTo takes another text.
  turnTo(text) {
    this.text = text;
    this.gone = new Map();
    for (const panel of this.panels) Object.assign(panel, { word: "", at: -1 });
  }

  // putBack puts all words back. The focus goes to the text, because the button that had it is hidden then.
  putBack() {
    this.box.querySelector(".text")?.focus({ preventScroll: true });
    this.gone = new Map();
    return this.renumber();
  }

  // renumber asks about a text with other words: their numbers have changed.
  renumber() {
    for (const panel of this.panels) if (panel.word !== "[CLS]" && !panel.answer?.translation) panel.word = "";
    if (this.panels.length > 0) this.by.moved(this.panels[0]);
    return this.change();
  }

  // change asks all runs again, one after the other. It returns whether it came to the end.
  async change() {
    const mine = ++this.turn;
    for (const panel of this.panels) panel.answer = undefined;
    this.hangUp.abort(); // questions that have not been answered
    this.hangUp = new AbortController();
    this.box.hidden = !this.text.trim();
    this.by.changed();
    this.drawTabs();
    if (this.box.hidden) {
      for (const panel of this.panels) {
        panel.drawn++;
        panel.box.replaceChildren();
        panel.box.removeAttribute("aria-busy");
      }
      this.by.say("");
      return false;
    }
    for (const panel of this.panels) {
      await this.draw(panel);
      if (mine !== this.turn) return false;
    }
    return true;
  }

  // drawTabs shows the buttons of the panels, with what each run predicts.
  drawTabs() {
    this.tabs.hidden = this.box.hidden || this.panels.length < 2;
    this.tabs.replaceChildren(...this.panels.map((p, i) => h("button", { type: "button", "aria-pressed": String(i === this.front), onclick: () => {
      this.front = i;
      this.drawTabs();
    } }, p.name.replace(/, \d+ seeds$/, ""), p.answer ? h("small", {}, brief(p.answer)) : null)));
    this.panels.forEach((p, i) => p.section.classList.toggle("front", i === this.front));
  }

  // answer asks a panel's run about the text without the removed words, and with them.
  async answer(panel, signal) {
    const { text, gone } = this, { layer, head, word, by, steps, matrix, flip } = panel;
    const question = { text, layer: Number(layer), head: Number(head), word, by, steps, matrix, flip };
    if (gone.size === 0) {
      const a = await this.by.ask(panel, question, signal);
      a.pieces = cut(a.pieces);
      return [a, null];
    }
    if (panel.whole?.text !== text) panel.whole = { text, answer: await this.by.ask(panel, { text }, signal) };
    const whole = panel.whole.answer, pieces = cut(whole.pieces);
    // A removed word leaves a gap, so that the others keep their places.
    const out = (piece) => [...gone.values()].some(([from, to]) => piece.from >= from && piece.to <= to);
    const a = await this.by.ask(panel, { ...question, text: pieces.map((p) => p.word && out(p) ? " ".repeat(p.text.length) : p.text).join("") }, signal);
    if (a.epoch !== whole.epoch) { // the run has trained on in between
      panel.whole = undefined;
      return this.answer(panel, signal);
    }
    const left = a.pieces.filter((p) => p.word);
    let k = 0;
    const merged = pieces.map((p) => !p.word ? p : out(p) ? { ...p, word: 0, gone: p.from } : { ...left[k++], from: p.from, to: p.to });
    if (k === left.length && merged.every((p) => p.gone !== undefined || text.slice(p.from, p.to) === p.text)) a.pieces = merged;
    else a.pieces = cut(a.pieces); // the remaining words were split otherwise
    return [a, whole];
  }

  // draw shows the answer of a panel's run.
  async draw(panel) {
    const mine = ++panel.drawn, { signal } = this.hangUp;
    const outdated = () => signal.aborted || mine !== panel.drawn;
    const busy = setTimeout(() => outdated() || panel.box.setAttribute("aria-busy", "true"), 150);
    let elements;
    try {
      const [a, before] = await this.answer(panel, signal);
      if (outdated()) return;
      panel.answer = a;
      // Self-attention starts with the attention of one word, the longest that the model knows.
      if (a.attention && a.heads.length > 0 && !a.cls && !panel.word && !panel.every) {
        const words = a.pieces.filter((p) => p.word && !p.unknown);
        if (words.length > 1) {
          panel.word = String(words.reduce((p, q) => (q.text.length > p.text.length ? q : p)).word);
          return this.draw(panel);
        }
      }
      elements = this.view(panel, a, before);
    } catch (error) {
      if (outdated()) return;
      // The text may no longer have the word, layer or head that the panel shows.
      if ([undefined, 422].includes(error.status) && (panel.word || panel.layer)) {
        Object.assign(panel, { word: "", layer: "", head: "" });
        return this.draw(panel);
      }
      panel.answer = null;
      elements = [h("p", { class: "note" }, visible(error.message))];
    } finally {
      clearTimeout(busy);
      if (mine === panel.drawn) panel.box.removeAttribute("aria-busy");
    }
    put(panel.box, elements.filter(Boolean));
    this.tell();
  }

  view(panel, a, before) {
    const words = a.pieces.filter((p) => p.word), example = this.gone.size === 0 ? this.by.example() : undefined;
    const how = {
      ...panel, before, reference: example?.reference ?? "",
      ask: (changes) => {
        Object.assign(panel, changes);
        this.by.moved(panel);
        this.draw(panel);
      },
      read: (k) => (panel.at = k),
      take: (k) => {
        this.gone.set(words[k].from, [words[k].from, words[k].to]);
        this.renumber();
      },
      back: (from) => {
        this.gone.delete(from);
        this.renumber();
      },
    };
    return [this.panels.length > 1 ? h("p", { class: "hint" }, `${wordsOf(a)}.`) : null, this.choices(panel, a), ...show(a, how)];
  }

  // choices offers the layers and heads of a model.
  choices(panel, a) {
    if (a.heads.length === 0 || (a.heads.length === 1 && a.heads[0] === 1)) return null;
    const select = (name, list) => {
      const s = h("select", { "data-focus": name, onchange: () => {
        panel[name] = s.value;
        if (name === "layer") Object.assign(panel, { head: "", word: s.value ? panel.word : "" });
        else if (!panel.layer) panel.layer = String(a.heads.length);
        this.by.moved(panel);
        this.draw(panel);
      } });
      options(s, list, panel[name]);
      return h("label", {}, name === "layer" ? "Layer " : "Head ", s);
    };
    const heads = a.heads[(Number(panel.layer) || a.heads.length) - 1];
    const count = (n) => Array.from({ length: n }, (_, k) => [String(k + 1), String(k + 1)]);
    return h("div", { class: "bar more" }, select("layer", [["", "last"], ...count(a.heads.length)]),
      select("head", [["", heads > 1 ? `mean of ${heads}` : "1"], ...(heads > 1 ? count(heads) : [])]));
  }

  // tell says all answers in a sentence, when the last one is there.
  tell() {
    this.drawTabs();
    if (this.panels.some((p) => p.answer === undefined)) return;
    this.by.changed();
    const gone = [...this.gone.values()].sort(([a], [b]) => a - b).map(([from, to]) => this.text.slice(from, to));
    const without = gone.length === 0 ? "" : `Without “${gone.slice(0, 5).join("”, “")}”${gone.length > 5 ? ` and ${gone.length - 5} more` : ""}: `;
    const label = this.gone.size === 0 && this.by.example()?.label, truth = label ? `. The review's label: ${label}` : "";
    const [first] = this.panels;
    this.by.say(without + (this.panels.length === 1 && first.answer ? said(first.answer).replace(/\.$/, "")
      : this.panels.map((p) => `${p.name}: ${p.answer ? brief(p.answer) : "no answer"}`).join("; ")) + truth + ".");
  }
}

// brief is an answer in a few words.
const brief = (a) => a.translation ? a.translation.words.join(" ") : `${a.classes[a.class]} ${percent(a.p[a.class])}`;
