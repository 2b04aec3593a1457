import { describe, expect, test } from "vitest";
import { PlainView } from "../../../src/tui/plain/plain-view.ts";
import type { Entry, ToolCard } from "../../../src/tui/state/entry.ts";
import { EMPTY_VIEW, print, type ViewState } from "../../../src/tui/state/view-state.ts";

/** What a view prints of states that follow each other, each printed before the next. */
function printed(...states: readonly ViewState[]): string {
  let text = "";
  const view = new PlainView((more) => (text += more));
  for (const state of states) view.show(state);
  return text;
}

const entries = (...all: readonly Entry[]): ViewState => print(EMPTY_VIEW, ...all);

const card = (id: string, label: string): ToolCard => ({
  id,
  name: "terminal",
  label,
  startedAt: 0,
  preview: "",
  diff: "",
});

const done = (of: ToolCard, summary: string): Entry => ({
  kind: "tool",
  card: { ...of, end: { outcome: "ok", seconds: 2, summary, output: "" } },
});

describe("the plain view", () => {
  test("prints an answer as it was written, blocks apart, a long block of code whole", () => {
    const text = printed(
      entries(
        { kind: "answer", text: "# Title\n\nFirst.\n\n", continues: false },
        { kind: "code", text: "one", language: "ts", continues: false },
        { kind: "code", text: "two", language: "ts", continues: true },
        { kind: "answer", text: "Last.", continues: false },
      ),
    );
    expect(text).toBe("# Title\n\nFirst.\n\n```ts\none\ntwo\n```\n\nLast.\n");
  });

  test("says once that a call runs, and names it again when another one came between", () => {
    const [first, second] = [card("a", "npm test"), card("b", "npm run lint")];
    const running = { ...EMPTY_VIEW, tools: [first] };
    expect(printed(running, running, entries(done(first, "exit code 0")))).toBe(
      "* npm test\n  exit code 0 (2.0 s)\n",
    );
    const both = { ...EMPTY_VIEW, tools: [first, second] };
    expect(printed(both, { ...entries(done(first, "ok")), tools: [second] })).toBe(
      "* npm test\n* npm run lint\n* npm test\n  ok (2.0 s)\n",
    );
  });

  test("does not repeat what was typed here, but says what came from elsewhere", () => {
    let text = "";
    const view = new PlainView((more) => (text += more));
    view.typed("hello");
    view.show(
      entries(
        { kind: "user", text: "hello", images: 0, from: "" },
        { kind: "user", text: "and\nthis", images: 1, from: "acp" },
      ),
    );
    expect(text).toBe("> and\n> this (1 image) (from acp)\n");
  });

  test("asks each question once, under a number of its own", () => {
    const question = (id: string) => ({
      request: {
        id,
        method: "clarify" as const,
        params: {
          session_id: "s",
          request_id: id,
          question: `${id}?`,
          choices: ["x", "y"],
          timeout_s: 0,
          questions: [],
        },
      },
      until: undefined,
      answering: false,
    });
    const [first, second] = [question("a"), question("b")];
    const both = { ...EMPTY_VIEW, questions: [first, second] };
    expect(printed(both, both, { ...EMPTY_VIEW, questions: [second] })).toBe(
      [1, 2]
        .map(
          (n) =>
            `Question ${n}: the agent asks\n${n === 1 ? "a" : "b"}?\n  /answer ${n} 1  x\n  /answer ${n} 2  y\n` +
            `  /answer ${n} words  Something else\n  /deny ${n}  Skip the question\n`,
        )
        .join(""),
    );
  });

  test("lets no text speak to the terminal", () => {
    const evil = "a\u001b]0;title\u0007\u001b[2Jb";
    const text = printed({
      ...entries(
        { kind: "answer", text: evil, continues: false },
        { kind: "note", tone: "warn", text: evil },
        { kind: "shell", command: evil, output: evil, code: 1, stopped: false },
        { kind: "answered", question: evil, answer: evil },
      ),
      tools: [card("a", evil)],
      status: evil,
      queue: [{ id: "q", text: evil, held: false }],
    });
    expect(text).not.toContain("\u001b");
    expect(text).toContain("* ab\n");
  });
});
