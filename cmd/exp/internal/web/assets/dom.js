// Small helpers for building elements. Texts only ever become text nodes or
// attributes, never HTML.

export const $ = (id) => document.getElementById(id);

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
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

// options puts choices into a <select> and keeps what was selected, or selects
// what is wanted; choices are [value, text].
export function options(select, choices, wanted = select.value) {
  const now = [...select.options].map((o) => o.value + "\n" + o.text).join("\n\n");
  if (now !== choices.map((c) => c.join("\n")).join("\n\n")) {
    select.replaceChildren(...choices.map(([value, text]) => h("option", { value }, text)));
  }
  if (choices.some(([value]) => value === String(wanted))) select.value = wanted;
}

// api asks the server for JSON; what it refuses is thrown as an Error with its
// words.
export async function api(path, parameters = {}, init = {}) {
  const query = new URLSearchParams(parameters).toString();
  const answer = await fetch(query ? `${path}?${query}` : path, init);
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(value.error || `the server answers ${answer.status}`);
  return value;
}
