// Metrics and histograms of the chosen runs. Only what is newer than what is known
// already is asked for.

import { api } from "./dom.js";

const details = new Map(); // by key of the run
const entropies = new Map(); // by key and place

// detail returns the metrics of a run, up to date.
export async function detail(key, again = true) {
  const known = details.get(key);
  const last = known?.metrics.at(-1)?.epoch || 0;
  const news = await api("/api/run", { run: key, after: last });
  // Trained anew, or at its end: then with test=last an old epoch has test results.
  if (last > 0 && again && (news.epoch < last || news.state !== known.state)) {
    details.delete(key);
    forget(key);
    return detail(key, false);
  }
  news.metrics = [...(known?.metrics || []), ...news.metrics.filter((m) => m.epoch > last)];
  details.set(key, news);
  return news;
}

// entropy returns the histograms of one place of a run's model, up to date.
export async function entropy(key, where) {
  const id = key + "\n" + where;
  const known = entropies.get(id);
  const last = known?.histograms.at(-1)?.epoch || 0;
  const news = await api("/api/entropy", { run: key, where, after: last });
  news.histograms = [...(known?.histograms || []), ...news.histograms.filter((h) => h.epoch > last)];
  entropies.set(id, news);
  return news;
}

function forget(key) {
  for (const id of entropies.keys()) {
    if (id.startsWith(key + "\n")) entropies.delete(id);
  }
}
