// The page's program is a server, exp serve.

import { visible } from "./dom.js";

async function reach(name, question, signal) {
  try {
    return await fetch("/api/" + name, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal });
  } catch (error) {
    throw error.name === "AbortError" ? error : Object.assign(new Error("The server does not answer: exp serve has ended or cannot be reached."), { status: 0 });
  }
}

// refused is the error of a refused question.
const refused = (answer, value) => Object.assign(new Error(value.error || `The server answers ${answer.status}.`), { status: answer.status });

async function call(name, question = {}, signal) {
  const answer = await reach(name, question, signal);
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw refused(answer, value);
  return value;
}

export const backend = {
  where: "Trains on the machine that serves this page, in its memory,",
  kept: "It can be asked until the server ends, or four others have been trained here.",
  start: async () => {},
  runs: (version) => call("runs", { version }),
  run: (run) => call("run", { run }),
  search: () => call("search"),
  examples: (run) => call("examples", { run }),
  ask: (run, question, signal) => call("ask", { run, ...question }, signal),
  training: () => call("training"),

  // train trains what a question asks for; hear(kind, value) is called for each step. It returns
  // a function that cancels the training.
  train(question, hear) {
    const cancel = new AbortController();
    lines(question, hear, cancel.signal).catch((error) => cancel.signal.aborted || hear("failed", visible(error.message)));
    return () => cancel.abort();
  },
};

async function lines(question, hear, signal) {
  const answer = await reach("train", question, signal);
  if (!answer.ok) throw refused(answer, await answer.json().catch(() => ({})));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", last = ""; ;) {
    const { value, done } = await reader.read();
    if (done) {
      if (last !== "ended" && last !== "failed") throw new Error("The server has stopped, and the training with it.");
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
