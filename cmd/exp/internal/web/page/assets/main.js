// The page: the runs, what is asked and drawn of the chosen ones, and training. While runs can
// change, it asks for news once a second.

import { $, h, jumps, visible } from "./dom.js";
import { state } from "./state.js";
import { start as startFrench } from "./french.js";
import { backend } from "./backend.js";
import { row, start as startRuns, update as updateRuns } from "./runs.js";
import { load, start as startChosen } from "./chosen.js";
import { restore, predict, start as startAsk, update as updateAsk } from "./ask.js";
import { start as startSearch, update as updateSearch } from "./search.js";
import { start as startTrain } from "./train.js";

const { page } = JSON.parse($("page").textContent);

function say(text) {
  if ($("state").textContent !== visible(text)) $("state").textContent = visible(text);
}

let version = 0;

async function renew() {
  const first = version === 0, change = await backend.runs(version);
  if (change.version === version) {
    if (page.live) say("live");
    return;
  }
  version = change.version;
  const changed = updateRuns(change), others = updateAsk();
  if (!first && others) predict();
  updateSearch();
  jumps();
  if (first || changed.some((key) => (state.runs || []).includes(key))) load();
  const r = changed.length === 1 && !first && row(changed[0]);
  if (page.live) say(r ? `live; ${r.label}: ${r.state}, ${r.epoch} ${r.epoch === 1 ? "epoch" : "epochs"}` : "live");
}

// watch asks for news while the page can be seen.
async function watch() {
  let wait = 1000;
  if (!document.hidden) {
    try {
      await renew();
    } catch (error) {
      say(`not live: ${error.message}`);
      wait = 5000;
    }
  }
  setTimeout(watch, wait);
}

async function start() {
  startFrench();
  startRuns();
  startChosen();
  startAsk();
  startSearch();
  $("about").replaceChildren(...page.notes.map((note) => h("p", {}, note)));
  say("loading …");
  await backend.start();
  await startTrain(); // a link may ask a run that was trained here
  await renew();
  const began = performance.now();
  if (await restore() && !page.live) say(`answered here in ${Math.max(1, performance.now() - began).toFixed(0)} ms`);
  document.body.setAttribute("data-ready", performance.now().toFixed(0));
  if (page.live) watch();
}

start().catch((error) => say(error.message));
