// What the page shows, as it is in the address after the #: a link restores it, and no server
// sees it.

const listeners = [];

export const state = read();

function read() {
  const q = new URLSearchParams(`${location.search.slice(1)}&${location.hash.slice(1)}`); // ? in links of earlier versions
  return {
    q: q.get("q") || "", // the filter of the table
    sort: q.get("sort") || "",
    runs: q.has("run") ? q.getAll("run").filter((key) => key) : null, // chosen; null: the page's choice
    hide: q.getAll("hide"), // splits that are not drawn
    of: q.get("of") || "", // run whose entropies are drawn
    place: q.get("place") || "",
    layer: q.get("layer") || "", // of the first answer
    head: q.get("head") || "",
    word: q.get("word") || "",
    text: q.get("text") || "",
    lang: q.get("lang") || "", // en or fr; "": the browser's
  };
}

// set changes some of the state, rewrites the address and calls the listeners of what has changed.
export function set(changes) {
  if (update(changes)) write();
}

function update(values) {
  const changed = Object.keys(values).filter((name) => JSON.stringify(state[name]) !== JSON.stringify(values[name]));
  Object.assign(state, values);
  for (const { names, f } of listeners) {
    if (names.some((name) => changed.includes(name))) f();
  }
  return changed.length > 0;
}

// onChange calls f when one of these parts of the state changes.
export function onChange(names, f) {
  listeners.push({ names, f });
}

let again = 0;

function write() {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (Array.isArray(value)) for (const one of value) q.append(name === "runs" ? "run" : name, one);
    else if (value) q.set(name, value);
  }
  if (state.runs?.length === 0) q.set("run", ""); // none, by choice
  clearTimeout(again);
  try {
    history.replaceState(null, "", location.pathname + "#" + q.toString().replaceAll("%2F", "/"));
  } catch { // Safari and Firefox refuse more than some hundred calls in half a minute
    again = setTimeout(write, 2000);
  }
}

// A link to another state of this page changes the part after the # without loading the page.
addEventListener("hashchange", () => {
  const now = read();
  now.runs ??= state.runs;
  update(now);
});
