import { expect, test } from "vitest";
import { ChatHistory } from "./chat-history.ts";
import { judgeHistory } from "./check-history.ts";

const AGAIN = "(sent again after a restart)\n\n";
const failed = (id: string): string => `I could not answer. Ask again, or run: agent chat replay ${id}`;

/** Judges what the bot said to one person who sent `m1` and `m2`. */
function judge(...texts: readonly string[]) {
  const history = new ChatHistory();
  for (const [index, text] of texts.entries())
    history.add({ id: String(index), place: "chat", by: "bot", text });
  const sent = ["a1", "a2"].map((answer) => ({ place: "chat", answer }));
  const { lost, doubled, marked, misordered, failed: failures } = judgeHistory(history, sent);
  return { lost, doubled, marked, misordered, failed: failures };
}

const NONE = { lost: 0, doubled: 0, marked: 0, misordered: 0, failed: 0 };

test.each([
  { name: "both answers in their order", said: ["a1", "a2"], found: {} },
  { name: "an answer that begins as another one does", said: ["a11", "a2"], found: { lost: 1 } },
  { name: "an answer twice", said: ["a1", "a1", "a2"], found: { doubled: 1 } },
  { name: "an answer again that says so", said: ["a1", `${AGAIN}a1`, "a2"], found: { marked: 1 } },
  { name: "the wrong order", said: ["a2", "a1"], found: { misordered: 1 } },
  { name: "a failure", said: ["a1", failed("k")], found: { failed: 1 } },
  {
    name: "a failure that came only when it was sent again",
    said: ["a1", AGAIN + failed("k")],
    found: { failed: 1 },
  },
  {
    name: "one failure twice, which stands for one answer",
    said: [failed("k"), AGAIN + failed("k")],
    found: { failed: 1, lost: 1 },
  },
])("$name", ({ said, found }) => {
  expect(judge(...said)).toEqual({ ...NONE, ...found });
});
