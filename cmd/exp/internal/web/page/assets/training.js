// Training on the sample: the server does it, in memory, and tells of it line by line. What
// it has trained can be asked until the server ends, or others have taken its place.

import { $, h, api, reach, visible } from "./dom.js";
import { offer } from "./train.js";

let kept = []; // runs that were trained here: {key, label, about, citation}
let heard = () => {}; // see start

// trained returns the runs that were trained here and are kept.
export const trained = () => kept;

// start offers what can be trained. changed() hears that there are others to ask, and
// ask(key) has one asked.
export async function start(changed, ask) {
  heard = changed;
  const what = await renew();
  if (what.not) {
    $("train").hidden = false;
    $("training").replaceWith(h("p", { class: "hint" }, what.not));
    $("where-trained").parentElement.hidden = true;
    return;
  }
  offer(what, { where: "On the machine that serves this page, in its memory:", start: train, keep: (e) => keep(e, ask) });
}

async function renew() {
  const what = await api("/api/train");
  kept = what.kept;
  heard();
  return what;
}

function keep(e, ask) {
  renew().catch(() => {}); // the server has gone: its answers will say so
  const go = h("button", { type: "button", onclick: () => ask(e.key) }, "Ask it about a text");
  return ["It is among the runs that can be asked, until the server ends or others that are trained here take its place; of words that the sample does not have it knows nothing. ", go];
}

// train has the server train what a question asks for; hear(kind, value) hears of it. It
// returns what cancels it.
function train(question, hear) {
  const hangUp = new AbortController();
  read(question, hear, hangUp.signal).catch((error) => hangUp.signal.aborted || hear("failed", visible(error.message)));
  return () => hangUp.abort();
}

async function read(question, hear, signal) {
  const answer = await reach("/api/train", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal,
  });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error || `the server answers ${answer.status}`);
  const lines = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", last = ""; ;) {
    const { value, done } = await lines.read();
    if (done) {
      if (last !== "ended" && last !== "failed") throw new Error("The server does not answer any more, and the training has ended with it.");
      return;
    }
    const whole = (rest + value).split("\n");
    rest = whole.pop();
    for (const line of whole) {
      const news = JSON.parse(line);
      hear((last = news.kind), news.value);
    }
  }
}
