// What is shown, as it stands in the address: a link restores it. The text to ask
// about stands behind the #, which no server sees.

const listeners = [];

export const state = read();

function read() {
  const query = new URLSearchParams(location.search);
  const hash = new URLSearchParams(location.hash.slice(1));
  return {
    q: query.get("q") || "",
    sort: query.get("sort") || "",
    page: Math.max(1, Number.parseInt(query.get("page"), 10) || 1),
    runs: query.has("run") ? query.getAll("run").filter((key) => key) : null, // null: not said
    hide: query.getAll("hide"), // splits that are not drawn
    of: query.get("of") || "", // run whose entropies are drawn
    where: query.get("where") || "",
    models: query.getAll("model").filter((key) => key), // runs that are asked, side by side
    layer: query.get("layer") || "", // where the first of them looks
    head: query.get("head") || "",
    word: hash.get("word") || "",
    text: hash.get("text") || "",
  };
}

// set changes some of the state, rewrites the address and tells the listeners
// which names have changed.
export function set(changes) {
  if (("q" in changes || "sort" in changes) && !("page" in changes)) changes = { ...changes, page: 1 };
  const changed = Object.keys(changes).filter((name) => JSON.stringify(state[name]) !== JSON.stringify(changes[name]));
  if (changed.length === 0) return;
  Object.assign(state, changes);
  write();
  tell(changed);
}

// onChange calls f with the names of what has changed, when one of them has.
export function onChange(names, f) {
  listeners.push({ names, f });
}

function tell(changed) {
  for (const { names, f } of listeners) {
    if (names.some((name) => changed.includes(name))) f(changed);
  }
}

let again = 0;

function write() {
  const query = new URLSearchParams();
  for (const name of ["q", "sort", "of", "where", "layer", "head"]) {
    if (state[name]) query.set(name, state[name]);
  }
  if (state.page > 1) query.set("page", state.page);
  for (const key of state.runs || []) query.append("run", key);
  if (state.runs && state.runs.length === 0) query.set("run", ""); // none, on purpose
  for (const key of state.models) query.append("model", key);
  for (const split of state.hide) query.append("hide", split);
  const hash = new URLSearchParams();
  for (const name of ["text", "word"]) {
    if (state[name]) hash.set(name, state[name]);
  }
  const text = hash.toString();
  // Slashes may stand in a query as they are, and links are easier to read so.
  const search = query.toString().replaceAll("%2F", "/");
  clearTimeout(again);
  try {
    history.replaceState(null, "", location.pathname + (search ? "?" + search : "") + (text ? "#" + text : ""));
  } catch { // Safari and Firefox refuse more than some hundred in half a minute
    again = setTimeout(write, 2000);
  }
}

// A link to another state of the page that is open already changes the part behind
// the # without loading the page.
addEventListener("hashchange", () => {
  const now = read();
  now.runs ??= state.runs; // a link that says none leaves those that are chosen
  const changed = Object.keys(now).filter((name) => JSON.stringify(state[name]) !== JSON.stringify(now[name]));
  Object.assign(state, now);
  tell(changed);
});
