// A worker of this browser trains, by the same program.

import { $ } from "./dom.js";

// program is what the worker runs. It is made of what the page holds: its security policy
// lets it load nothing.
const program = () => `${$("runtime").textContent}
onmessage = async ({ data }) => {
  try {
    const go = new Go();
    go.run(await WebAssembly.instantiate(data.module, go.importObject)) // ends only if the program breaks off
      .then(() => postMessage({ kind: "failed", value: JSON.stringify("The training broke off: the browser may have had no memory left.") }));
    imdbexp.train(data.question);
  } catch (error) {
    postMessage({ kind: "failed", value: JSON.stringify(String(error)) });
  }
};`;

// train has a compiled module train what a question asks for; hear(kind, value) hears of it,
// of the model as {table, model}. It returns what stops it.
export function train(module, question, hear) {
  const url = URL.createObjectURL(new Blob([program()], { type: "text/javascript" }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  worker.onmessage = ({ data }) => hear(data.kind, data.kind === "model" ? data : JSON.parse(data.value));
  worker.onerror = (event) => hear("failed", `The training broke off: ${event.message}`);
  worker.postMessage({ module, question: JSON.stringify(question) });
  return () => worker.terminate();
}
