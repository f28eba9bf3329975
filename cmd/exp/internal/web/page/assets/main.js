// The live page: the server's events keep the table up to date; what is drawn of
// the chosen runs follows.

import { $, jumps, visible } from "./dom.js";
import { state, onChange } from "./state.js";
import * as runs from "./runs.js";
import * as chosen from "./chosen.js";
import * as ask from "./ask.js";
import * as training from "./training.js";

runs.start();
chosen.start();
ask.start();
jumps();

let first = true;

function onRows(event) {
  const changed = runs.update(JSON.parse(event.data));
  const others = ask.update();
  if (first) ask.restore();
  else if (others) ask.predict();
  if (first || changed.some((key) => state.runs.includes(key))) chosen.load();
  first = false;
  say(changed.length === 1 ? progress(runs.row(changed[0])) : "live");
}

function progress(row) {
  return `live; ${runs.label(row)}: ${row.state}, ${row.epoch} ${row.epoch === 1 ? "epoch" : "epochs"}`;
}

function say(text) {
  if ($("live").textContent !== visible(text)) $("live").textContent = visible(text);
}

let events = null;

function listen() {
  events = new EventSource("/api/events?" + new URLSearchParams([
    ["q", state.q], ["sort", state.sort], ["page", state.page], ...state.models.map((key) => ["model", key]), ...state.runs.map((key) => ["run", key]),
  ].filter(([, value]) => value)));
  events.addEventListener("rows", onRows);
  events.addEventListener("error", () => {
    say("not live: the server does not answer");
    if (events?.readyState === EventSource.CLOSED) setTimeout(watch, 5000); // refused: it does not try again by itself
  });
}

// watch listens while the page can be seen: browsers allow six connections to a
// server for all their tabs together.
function watch() {
  if (document.hidden) {
    events?.close();
    events = null;
  } else if (!events || events.readyState === EventSource.CLOSED) {
    listen();
  }
}

// Of runs that do not fit on one page the server filters, sorts and turns the pages, and has to
// know which are chosen.
let turning = 0;
onChange(["q", "sort", "page", "runs", "models"], () => {
  if (runs.whole()) return;
  clearTimeout(turning);
  turning = setTimeout(() => {
    events?.close();
    events = null;
    watch();
  }, 150);
});

// What was trained here is known before a link's question is asked.
training.start(ask.update, ask.askToo).catch((error) => say(error.message)).finally(() => {
  jumps(); // Train is there now
  document.addEventListener("visibilitychange", watch);
  watch();
});
