// The page in French, if the browser or the visitor asks for it. Texts are replaced when they enter the page, by
// the pairs of fr.json; {} in a pair is any text, which is looked up, too, {=} one that stays, such as a name, and {n} a number. Words of reviews have translate="no".

import { $ } from "./dom.js";
import { set, state } from "./state.js";

const lang = state.lang || navigator.languages.map((l) => l.slice(0, 2)).find((l) => ["en", "fr"].includes(l)) || "en";
const whole = new Map(), patterns = [];
const done = new Set(); // French texts
const untranslated = (document.documentElement.untranslated = new Set()); // a test looks at it
const verbatim = "[translate=no], code, pre, script, noscript, style, textarea";
const attributes = ["alt", "aria-label", "aria-valuetext", "placeholder", "title"];

// commas writes decimal commas, but not in settings, versions and the like.
const commas = (text) => text.replace(/(?<![\w.=@/]|Safari )(\d+)\.(\d+)(?!\w|\.\d)/g, "$1,$2");

// typeset sets the no-break spaces and apostrophes of French.
const typeset = (text) => text.replace(/ ([:;!?»%])/g, "\u00a0$1").replaceAll("« ", "«\u00a0").replaceAll("'", "’");

// asShown returns the text of a cell as the table shows it.
export const asShown = (text) => lang === "fr" ? commas(whole.get(text) ?? text) : text;

// pieces are the sentences of a text, or the parts of a sentence.
function pieces(text) {
  const by = [/(?<=\.) /, /(?<= ·) /, /(?<=[:;]) /];
  return by.map((end) => text.split(end)).find((list) => list.length > 1) ?? [text];
}

// learn takes a pair, and its pieces where they are as many in both languages.
function learn(english, french) {
  if (!english.includes("{")) whole.set(english, french);
  else {
    const pattern = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll("{n}", "([-+−±]?[\\d.,]+(?:e[-+]?\\d+)?)").replace(/\{=?\}/g, "(.+?)");
    patterns.push([new RegExp(`^${pattern}$`, "s"), french]);
  }
  const list = pieces(english), other = pieces(french.replaceAll("\u00a0", " "));
  if (list.length > 1 && list.length === other.length) list.forEach((piece, i) => /\p{L}/u.test(piece.replaceAll("{n}", "")) && learn(piece, typeset(other[i])));
  else if (english.endsWith(".")) learn(english.slice(0, -1), french.slice(0, -1));
}

// french returns a text in French; what it does not know stays.
function french(text) {
  const [, before, words, end, after] = /^(\s*)(.*?)((?: ·|[.:;])?)(\s*)$/s.exec(text.replaceAll("\u00a0", " "));
  if (!/\p{L}{2}/u.test(words) || done.has(words + end)) return commas(text);
  const out = commas(known(words + end) ?? ended(words, end) ?? parts(words + end));
  done.add(out.replaceAll("\u00a0", " "));
  return before + out.replaceAll(" %", "\u00a0%") + after;
}

// known returns the French of a text that is in the pairs.
function known(words) {
  if (whole.has(words)) return whole.get(words);
  for (const [pattern, out] of patterns) {
    const m = pattern.exec(words);
    let i = 0;
    if (m) return out.replace(/\{=?\}/g, (place) => place === "{=}" ? m[++i] : french(m[++i]));
  }
}

// ended does the same without a point, dot, colon or semicolon at the end.
function ended(words, end) {
  const out = end ? known(words) : undefined;
  return out && out + (end.length > 1 || end === "." ? end : "\u00a0" + end);
}

function parts(words) {
  const list = pieces(words);
  if (list.length > 1) return list.map(french).join(" ");
  untranslated.add(words);
  return words;
}

function renew(node) {
  if (node.parentElement?.closest(verbatim)) return;
  if (node.nodeType === Node.TEXT_NODE) {
    const text = french(node.data);
    if (text !== node.data) {
      const drawn = node.parentElement?.getAttribute("textLength"); // of the English, in a drawing
      if (drawn) node.parentElement.setAttribute("textLength", Math.round(drawn * Math.min(1.6, text.trim().length / node.data.trim().length)));
      node.data = text;
    }
  } else if (node.nodeType === Node.ELEMENT_NODE) {
    for (const name of attributes) if (node.hasAttribute(name)) node.setAttribute(name, french(node.getAttribute(name)));
    if (!node.matches(verbatim)) node.childNodes.forEach(renew);
  }
}

export function start() {
  const button = $("language"), other = lang === "fr" ? "en" : "fr";
  button.textContent = lang === "fr" ? "English" : "Français";
  button.lang = other;
  button.hidden = false;
  button.addEventListener("click", () => {
    set({ lang: other });
    location.reload();
  });
  if (lang === "en") return;
  document.documentElement.lang = lang;
  for (const [english, text] of Object.entries(JSON.parse($("page").textContent).french)) learn(english, typeset(text));
  patterns.sort(([a], [b]) => b.source.length - a.source.length); // the most particular one first
  renew(document.body);
  document.title = french(document.title);
  new MutationObserver((changes, observer) => {
    for (const { type, target, addedNodes } of changes) {
      for (const node of type === "childList" ? addedNodes : [target]) if (node.isConnected) renew(node);
    }
    observer.takeRecords(); // of these changes
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter: attributes });
}
