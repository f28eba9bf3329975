// Runs that answer side by side: a panel each, all about one text, from which words can be
// taken away. Who is asked, a program in the page or a server, is for the page to say.

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
  // box takes the panels. by.ask(panel, question, signal) returns a promise of an ask.Answer;
  // by.tell(text) hears what all have said, by.moved(panel) where a panel looks now, and
  // by.gone(some) whether words are taken away. by.truth() and by.reference() are what the
  // class or the translation of the text is in truth, "" where that is not known.
  constructor(box, by) {
    Object.assign(this, { box, by, panels: [], text: "", gone: new Map(), turn: 0, hangUp: new AbortController() });
  }

  // add makes room for what a run says. more are elements of its head.
  add(key, name, about, more = []) {
    const id = `answer${++made}`, box = h("div", {});
    const section = h("section", { "aria-labelledby": id }, h("h2", { id }, name), h("p", { class: "hint" }, ...about, ...more), box);
    const panel = { key, name, section, box, drawn: 0, layer: "", head: "", word: "", by: "", steps: false, matrix: false, looking: false, at: -1, top: 0, of: "" };
    this.panels.push(panel);
    this.box.append(section);
    return panel;
  }

  remove(panel) {
    this.panels = this.panels.filter((p) => p !== panel);
    panel.section.remove();
  }

  // turnTo takes another text, whole.
  turnTo(text) {
    this.text = text;
    this.gone = new Map();
    for (const panel of this.panels) Object.assign(panel, { word: "", at: -1 });
  }

  // putBack puts all words back. The focus goes to the text: what puts them back is hidden then.
  putBack() {
    this.box.querySelector(".text")?.focus({ preventScroll: true });
    this.gone = new Map();
    return this.look();
  }

  // look asks about a text with other words: their numbers, by which panels look at them, are others.
  look() {
    for (const panel of this.panels) if (panel.word !== "[CLS]" && !panel.answer?.translation) panel.word = "";
    if (this.panels.length > 0) this.by.moved(this.panels[0]);
    return this.change();
  }

  // change asks all runs anew, one after the other. It says whether it came to the end.
  async change() {
    const mine = ++this.turn;
    for (const panel of this.panels) panel.answer = undefined;
    this.hangUp.abort(); // what was asked before and has not been answered
    this.hangUp = new AbortController();
    this.by.gone(this.gone.size > 0);
    this.box.hidden = !this.text.trim();
    if (this.box.hidden) {
      for (const panel of this.panels) {
        panel.drawn++;
        panel.box.replaceChildren();
        panel.box.removeAttribute("aria-busy");
      }
      this.by.tell("");
      return false;
    }
    for (const panel of this.panels) {
      await this.draw(panel);
      if (mine !== this.turn) return false;
    }
    return true;
  }

  // answer asks a panel's run about the text without the words that are gone, and with them.
  async answer(panel, signal) {
    const { text, gone } = this, { layer, head, word, by, steps, matrix, top, of } = panel;
    const question = { text, layer: Number(layer), head: Number(head), word, by, steps, matrix, top, of };
    if (gone.size === 0) {
      const a = await this.by.ask(panel, question, signal);
      a.pieces = cut(a.pieces);
      return [a, null];
    }
    if (panel.whole?.text !== text) panel.whole = { text, answer: await this.by.ask(panel, { text }, signal) };
    const whole = panel.whole.answer, pieces = cut(whole.pieces);
    // What is taken away leaves its room, so that places stay those of the whole text.
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
    else a.pieces = cut(a.pieces); // the words that are left were split otherwise
    return [a, whole];
  }

  // draw shows what a panel's run says.
  async draw(panel) {
    const mine = ++panel.drawn, { signal } = this.hangUp;
    const late = () => signal.aborted || mine !== panel.drawn;
    const busy = setTimeout(() => late() || panel.box.setAttribute("aria-busy", "true"), 150);
    let elements;
    try {
      const [a, before] = await this.answer(panel, signal);
      if (late()) return;
      panel.answer = a;
      elements = this.view(panel, a, before);
    } catch (error) {
      if (late()) return;
      // The text may no longer have what a panel looks at; a server that is busy or gone says nothing of that.
      if ([undefined, 400, 422].includes(error.status) && (panel.word || panel.layer || panel.of)) {
        Object.assign(panel, { word: "", layer: "", head: "", of: "" });
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
    const words = a.pieces.filter((p) => p.word);
    const how = {
      ...panel, before, reference: this.gone.size === 0 ? this.by.reference() : "",
      ask: (changes) => {
        Object.assign(panel, changes);
        this.by.moved(panel);
        this.draw(panel);
      },
      read: (k) => (panel.at = k),
      take: (k) => {
        this.gone.set(words[k].from, [words[k].from, words[k].to]);
        this.look();
      },
      back: (from) => {
        this.gone.delete(from);
        this.look();
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

  // tell says in a sentence what the runs have said.
  tell() {
    const answered = this.panels.filter((p) => p.answer !== undefined);
    const brief = ({ answer: a }) => !a ? "no answer" : a.translation ? a.translation.words.join(" ") : `${a.classes[a.class]} ${percent(a.p[a.class])}`;
    if (answered.length < this.panels.length) return;
    const gone = [...this.gone.values()].sort(([a], [b]) => a - b).map(([from, to]) => this.text.slice(from, to)), without = gone.length === 0 ? "" : `Without “${gone.slice(0, 5).join("”, “")}”${gone.length > 5 ? ` and ${gone.length - 5} more` : ""}: `;
    const truth = this.gone.size === 0 && this.by.truth() ? `; in truth: ${this.by.truth()}` : "";
    this.by.tell(without + (this.panels.length === 1 && answered[0].answer ? said(answered[0].answer).replace(/\.$/, "") + truth + "."
      : this.panels.map((p) => `${p.name}: ${brief(p)}`).join("; ") + truth));
  }
}
