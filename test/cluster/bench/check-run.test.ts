import { expect, test } from "vitest";
import { checkRun, type Verdict } from "../../../bench/faults/check.ts";
import { type KeptLine, promptName, type RunHistory, tokenText } from "../../../bench/faults/history.ts";

const words = (prompt: number, from = 0, to = 6): string =>
  Array.from({ length: to - from }, (_, index) => tokenText({ prompt, place: from + index })).join("");
const user = (prompt: number): KeptLine => ({ role: "user", text: `Please answer ${promptName(prompt)}.` });
const agent = (text: string): KeptLine => ({ role: "agent", text });
const call: KeptLine = { role: "call", text: `echo ${promptName(2)} >> file` };

/** A prompt with a command, and another one; the reader was away in between. */
const healthy: RunHistory = {
  prompts: [2, 3].map((number) => ({ number, tokens: 6, accepted: true, end: "completed" as const })),
  shown: [
    { type: "more", text: words(2, 0, 4) },
    { type: "instead", text: words(2) },
    { type: "more", text: words(3, 0, 3).slice(0, -3) },
    { type: "more", text: words(3, 0, 3).slice(-3) + words(3, 3) },
  ],
  replies: [
    { prompt: 2, step: 0, isWhole: true },
    { prompt: 2, step: 1, isWhole: false },
    { prompt: 2, step: 1, isWhole: true },
    { prompt: 3, step: 0, isWhole: true },
  ],
  effects: [2],
  kept: [user(2), call, agent(words(2)), user(3), agent(words(3))],
  waiting: [],
};

test("a history in which nothing went wrong has no findings", () => {
  expect(checkRun(healthy)).toEqual([]);
});

test("a turn that is said to have failed may have said only a part", () => {
  const [first, second] = healthy.prompts;
  if (first === undefined || second === undefined) return;
  const kept = [user(2), call, agent(words(2, 0, 4)), user(3), agent(words(3))];
  const shown = [{ type: "more", text: words(2, 0, 3) + words(3) }] as const;
  expect(checkRun({ ...healthy, kept, shown, prompts: [{ ...first, end: "failed" }, second] })).toEqual([]);
});

const changed = (change: Partial<RunHistory>): RunHistory => ({ ...healthy, ...change });
const more = (text: string): RunHistory => changed({ shown: [{ type: "more", text }] });
const failed = healthy.prompts.map((prompt) => ({ ...prompt, end: "failed" as const }));

const PLANTED: Readonly<Record<string, readonly [Verdict, RunHistory]>> = {
  "a conversation that cannot be read back": ["lost", changed({ kept: undefined })],
  "an accepted prompt that is gone": [
    "lost",
    changed({ kept: [user(3), agent(words(3))], effects: [], prompts: failed, shown: [] }),
  ],
  "text that was shown and is not kept": [
    "lost",
    changed({ prompts: failed, kept: [user(2), call, agent(words(2, 0, 5)), user(3), agent(words(3))] }),
  ],
  "text that was shown, replaced by less, and is not kept": [
    "lost",
    changed({
      prompts: failed,
      shown: [
        { type: "more", text: words(2) },
        { type: "instead", text: words(2, 0, 2) },
      ],
      kept: [user(2), call, agent(words(2, 0, 2)), user(3), agent(words(3))],
    }),
  ],
  "text of a complete turn that is not kept": [
    "lost",
    changed({ shown: [], kept: [user(2), call, agent(words(2, 0, 5)), user(3), agent(words(3))] }),
  ],
  "a hole in what a reader has": [
    "lost",
    changed({ prompts: failed, shown: [{ type: "more", text: words(2, 0, 2) + words(2, 3) + words(3) }] }),
  ],
  "an end of a complete turn that a reader was not shown": ["lost", more(words(2, 0, 5) + words(3))],
  "a command that ran, of which nothing is kept": [
    "lost",
    changed({ kept: [user(2), agent(words(2)), user(3), agent(words(3))] }),
  ],
  "a prompt that is there twice": ["doubled", changed({ kept: [user(2), ...(healthy.kept ?? [])] })],
  "text that a reader has twice": ["doubled", more(words(2) + words(2, 2) + words(3))],
  "text that is kept twice": [
    "doubled",
    changed({ kept: [user(2), call, agent(words(2)), agent(words(2, 4)), user(3), agent(words(3))] }),
  ],
  "a command that ran twice": ["doubled", changed({ effects: [2, 2] })],
  "a reply that the model gave twice": [
    "doubled",
    changed({ replies: [...healthy.replies, { prompt: 3, step: 0, isWhole: true }] }),
  ],
  "text that a reader has in another order": ["misordered", more(words(2, 3) + words(2, 0, 3) + words(3))],
  "text that is kept in another order": [
    "misordered",
    changed({ kept: [user(2), call, agent(words(2, 3)), agent(words(2, 0, 3)), user(3), agent(words(3))] }),
  ],
  "prompts in another order": [
    "misordered",
    changed({ kept: [user(3), agent(words(3)), user(2), call, agent(words(2))] }),
  ],
  "text under another prompt": [
    "misordered",
    changed({ kept: [user(2), call, agent(words(2)), agent(words(3)), user(3)] }),
  ],
  "something that is waited for in vain": ["stuck", changed({ waiting: ["the end of prompt 2"] })],
};

test.each(Object.entries(PLANTED))("%s is found, and nothing else", (_name, [verdict, history]) => {
  expect([...new Set(checkRun(history).map((finding) => finding.verdict))]).toEqual([verdict]);
});
