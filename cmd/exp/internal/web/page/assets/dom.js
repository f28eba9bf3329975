// Small helpers for building elements. Texts only ever become text nodes or
// attributes, never HTML.

export const $ = (id) => document.getElementById(id);

// visible returns a text with control characters written out, such as those that reverse the
// direction of the text, like internal/term.
export const visible = (text) => String(text).replace(/\r\n/g, "\n").replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, (c) => {
  const code = c.charCodeAt(0).toString(16);
  if (c === "\r") return "\\r";
  return code.length > 2 || c > "\x7f" ? "\\u" + code.padStart(4, "0") : "\\x" + code.padStart(2, "0");
});

const read = new Set(["title", "alt", "aria-label"]); // attributes that are texts

// h returns an HTML element: attributes by name, on… as listeners, children as
// elements or texts.
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// s returns an SVG element.
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : read.has(name) ? visible(value) : value);
  }
  element.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false)
    .map((c) => (c instanceof Node ? c : visible(c))));
  return element;
}

const shown = new WeakMap(); // choices of each <select>, as JSON

// options puts choices, [value, text], into a <select>. It selects the wanted value, or keeps the
// selected one.
export function options(select, choices, wanted = select.value) {
  const now = JSON.stringify(choices);
  if (now !== shown.get(select)) {
    shown.set(select, now);
    select.replaceChildren(...choices.map(([value, text]) => h("option", { value }, text)));
  }
  if (choices.some(([value]) => value === String(wanted))) select.value = wanted;
}

// own marks words of the user's, which no language of the page translates.
export const own = (text) => h("span", { translate: "no" }, text);

// remark returns a note about a run: what the user wrote stays as it is.
export function remark(note) {
  const [, kind, text] = /^((?:note|tagged): )(.*)$/s.exec(note) ?? [];
  return kind ? [kind, own(text)] : [note];
}

// jumps makes links within the page scroll without changing the address, and hides links to hidden
// elements. Call it again when elements have been shown or hidden.
export function jumps() {
  document.addEventListener("click", jump);
  for (const a of document.querySelectorAll("header nav a")) a.hidden = !$(a.hash.slice(1)) || $(a.hash.slice(1)).closest("[hidden]") !== null;
}

function jump(event) {
  const a = event.target.closest?.("a[href^='#']"), to = a && $(a.hash.slice(1));
  if (!to) return;
  event.preventDefault();
  if (!to.hasAttribute("tabindex")) to.tabIndex = -1;
  to.focus({ preventScroll: true });
  to.scrollIntoView();
}
