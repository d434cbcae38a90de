// Steps of LangGraph.js with its SQLite saver, for bench/langgraph.sh:
//
//   node langgraph.mjs PACKAGES plain|write STEPS FOLDER [flush]
//
// A graph of one node that follows itself STEPS times, whose state is saved behind every step, as ours is. Each step
// reads an answer of the size that a model gives, and keeps the phase, a note to itself and the answer in its state.
// `write`: it also adds a line to a note and writes a mail, a file each. `flush`: the saver's commits reach the disk, as
// ours do; by itself it leaves that to the operating system. Prints steps a second, of five runs the median.
import { createRequire } from "node:module";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [packages, kind, count, folder, flush] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const { StateGraph, Annotation, START, END } = require("@langchain/langgraph");
const { SqliteSaver } = require("@langchain/langgraph-checkpoint-sqlite");
const steps = Number(count), writes = kind === "write";

// The answer of our scripted brain (bench/steps.c), about 370 bytes.
const answer = (n) => JSON.stringify({
  status: "continue", current_phase: "working", working_note: writes ? "writing" : "looking",
  add_notes: writes ? [] : ["CONTENTS"], drop: writes ? [] : ["README/links"],
  write_notes: writes ? [{ key: `scratch/n${n % 4}`, content: `line ${n}\n`, mode: "append", if_version: 0 }] : [],
  send_emails: writes ? [{ to: [], cc: [], subject: "", body: `News ${n}.`, in_reply_to: "", attachments: [] }] : [],
  bundle_key: "", reasoning: "as told", add_emails: [], search_emails: [], search_notes: [], read_attachments: [],
  rename_notes: [], delete_notes: [], move_emails: [], wait: { for: "reply", until: "", then: "continue" },
});

const State = Annotation.Root({ n: Annotation(), phase: Annotation(), note: Annotation(), answer: Annotation() });

function work(state) {
  const said = answer(state.n), a = JSON.parse(said);
  for (const note of a.write_notes)
    appendFileSync(join(folder, note.key.replace("/", "-") + ".md"), note.content);
  for (const mail of a.send_emails)
    writeFileSync(join(folder, `mail-${state.n}.eml`), `To: you@postrider.local\nSubject: a task\n\n${mail.body}\n`);
  return { n: state.n + 1, phase: a.current_phase, note: a.working_note, answer: said };
}

const saver = SqliteSaver.fromConnString(join(folder, `${kind}${flush ?? ""}.db`));
if (flush) {
  saver.setup();
  saver.db.pragma("synchronous = FULL");
}
const graph = new StateGraph(State)
  .addNode("work", work)
  .addEdge(START, "work")
  .addConditionalEdges("work", (state) => (state.n < steps ? "work" : END))
  .compile({ checkpointer: saver });

const rates = [];
for (let run = -1; run < 5; run++) { // the first one warms up
  const began = performance.now();
  const end = await graph.invoke({ n: 0, phase: "triage", note: "", answer: "" },
    { configurable: { thread_id: `${run}` }, recursionLimit: steps + 10 });
  if (end.n !== steps)
    throw new Error(`${end.n} of ${steps} steps`);
  if (run >= 0)
    rates.push(steps / ((performance.now() - began) / 1000));
}
console.log(rates.sort((a, b) => a - b)[2].toFixed(0));
