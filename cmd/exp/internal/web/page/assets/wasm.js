// The page's program is in the page: WebAssembly, with the runs that exp export --page put there.

import { $ } from "./dom.js";

const { page } = JSON.parse($("page").textContent);
let kept, module; // an offline.kept; the compiled program
const models = []; // keys of runs, in the order of the program's models
let loading = Promise.resolve(); // one model after the other
const tables = new Map(); // bytes of the page's tables of words, by number

// bytes returns the content of an element of the page.
async function bytes(id) {
  const element = $(id), coded = element.textContent;
  element.remove();
  let b;
  if (Uint8Array.fromBase64) b = Uint8Array.fromBase64(coded);
  else {
    const raw = atob(coded);
    b = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; k++) b[k] = raw.charCodeAt(k);
  }
  return new Uint8Array(await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

const value = (result) => {
  if (result.error) throw new Error(result.error);
  return result.value;
};

async function start() {
  kept = JSON.parse(new TextDecoder().decode(await bytes("kept")));
  const go = new Go(); // of the runtime, wasm_exec.js
  module = await WebAssembly.compile(await bytes("wasm"));
  go.run(await WebAssembly.instantiate(module, go.importObject));
}

// model returns the number of the program's model of a run, which it is given when it is asked for the first time.
function model(key) {
  loading = loading.catch(() => {}).then(async () => {
    const i = kept.models.indexOf(key), table = page.tables[i];
    if (models.includes(key)) return models.indexOf(key);
    if ($(`table${table}`)) tables.set(table, await bytes(`table${table}`));
    value(imdbexp.model(await bytes(`model${i}`), tables.get(table) ?? new Uint8Array()));
    return models.push(key) - 1;
  });
  return loading;
}

// program is the script of a worker. It is part of the page, because the security policy lets a
// worker load nothing.
const program = () => `${$("runtime").textContent}
onmessage = async ({ data }) => {
  try {
    const go = new Go();
    go.run(await WebAssembly.instantiate(data.module, go.importObject)) // ends only if the program crashes
      .then(() => postMessage(JSON.stringify({ kind: "failed", value: "The training stopped: perhaps the browser had no memory left." })));
    imdbexp.train(data.question);
  } catch (error) {
    postMessage(JSON.stringify({ kind: "failed", value: String(error) }));
  }
};`;

export const backend = {
  where: "Trains here, in your browser,",
  kept: "It can be asked until you close the page.",

  start: () => start().catch((error) => {
    const old = typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined";
    throw new Error(old ? "This browser is too old for the page: use Chromium 111, Firefox 113, Safari 16.4 or later." : `The page is damaged, or the browser refuses it: ${error.message}`);
  }),
  runs: async () => kept.change,
  run: async (key) => kept.details[key],
  search: async () => kept.searches,
  examples: async () => [], // all are in the page
  // Between two answers the page handles its visitor's clicks.
  ask: async (key, question, signal) => {
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    return JSON.parse(value(imdbexp.ask(await model(key), JSON.stringify(question))));
  },
  training: async () => JSON.parse(value(imdbexp.offered())),

  // train has a worker train what a question asks for, so that the page still answers.
  train(question, hear) {
    const url = URL.createObjectURL(new Blob([program()], { type: "text/javascript" }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    let trained;
    worker.onmessage = ({ data }) => {
      if (data.model) {
        trained = data;
        return;
      }
      const { kind, value: news } = JSON.parse(data);
      if (kind === "ended") {
        news.key = news.run;
        if (!models.includes(news.key)) {
          value(imdbexp.model(trained.model, trained.table));
          models.push(news.key);
        }
      }
      if (kind === "ended" || kind === "failed") worker.terminate();
      hear(kind, news);
    };
    worker.onerror = (event) => hear("failed", `The training stopped: ${event.message}`);
    worker.postMessage({ module, question: JSON.stringify(question) });
    return () => worker.terminate();
  },
};
