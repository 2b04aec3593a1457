import { describe, expect, test } from "vitest";
import { permissionRequest as v1Request } from "../../src/acp/v1/protocol.ts";
import { permissionRequest as v2Request } from "../../src/acp/experimental-v2/protocol.ts";
import type { ApprovalRequest, QuestionRequest } from "../../src/core/index.ts";
import { encodeApprovalRequest } from "../../src/http/turns/encode-approval.ts";
import { encodeOpenRequest } from "../../src/rpc/encode/question.ts";
import { questionWords, wholeWords } from "../../src/tui/plain/question-words.ts";
import { wholeQuestion } from "../../src/tui/state/question-parts.ts";
import { EMPTY_EDITOR } from "../../src/tui/input/text-editor.ts";
import { questionLines } from "../../src/tui/view/question-lines.ts";
import { unifiedDiff } from "../../src/app/rpc/unified-diff.ts";

const REQUEST: ApprovalRequest = {
  type: "approval.request",
  requestId: "r1",
  turnId: "t1",
  callId: "c1",
  toolName: "terminal",
  command: "rm -rf a\u200b\u202eb\u00a0c\u001b[2K\rd \u2028e\u{e0041}f\u3164 # \u00ad",
  description: "Runs in /srv/wo\u200brk. It could not be judged completely because of a loop.",
  patterns: ["rm\u2060 *"],
  choices: ["once", "session", "deny"],
  inputHash: "",
  timeoutMs: 1000,
  beforeEffect: true,
};

const DRAFT = {
  since: 0,
  entered: false,
  step: "choose",
  marked: undefined,
  digits: "",
  typed: EMPTY_EDITOR,
  over: false,
} as const;

const CAPABILITIES = { optionsOfOneKind: true } as Parameters<typeof v1Request>[1];

const open = (request: QuestionRequest) => encodeOpenRequest("s1", request, unifiedDiff);

function screen(request: QuestionRequest, { rows = 60, columns = 100 } = {}): string {
  const question = { request: open(request), until: undefined, answering: false };
  const { lines } = questionLines(
    question,
    { ...DRAFT, request: question.request },
    {
      columns,
      rows,
      now: 0,
      open: 1,
    },
  );
  return lines.map((line) => line.map(({ text }) => text).join("")).join("\n");
}

/** The text of a question in each view, with nothing but its strings. */
const VIEWS: Readonly<Record<string, (request: ApprovalRequest) => string>> = {
  gateway: (request) => strings(open(request)),
  http: (request) => strings(encodeApprovalRequest(request)),
  "acp 1": (request) =>
    strings(v1Request({ sessionId: "s1", request, call: undefined, cwd: "/" }, CAPABILITIES)),
  "acp 2": (request) =>
    strings(v2Request({ sessionId: "s1", request, call: undefined, cwd: "/" }, CAPABILITIES)),
  "terminal client": (request) => screen(request, { columns: 400 }),
  "whole question": (request) => wholeQuestion(open(request)),
  "--plain and agent run": (request) => questionWords(open(request)),
};

function strings(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(strings).join("\n");
}

describe.each(Object.entries(VIEWS))("a question in the view: %s", (_name, view) => {
  test("shows the folder, doubts, the pattern and every character that is not seen", () => {
    const text = view(REQUEST);
    expect(text).toContain(
      "rm -rf a<U+200B><U+202E>b<U+00A0>c<U+001B>[2K<U+000D>d <U+2028>e<U+E0041>f<U+3164> # <U+00AD>",
    );
    expect(text).toContain("Runs in /srv/wo<U+200B>rk. It could not be judged completely because of a loop.");
    expect(text).toContain("rm<U+2060> *");
    expect(text).not.toMatch(/[\u200b\u202e\u00a0\r\u2028\u3164\u00ad\u2060]/);
    expect(text).not.toContain("\u001b");
  });

  test("shows a long command whole, or says how many characters are missing", () => {
    const command = `echo ${"0123456789".repeat(30_000)}`;
    const text = view({ ...REQUEST, command });
    const flat = text.replaceAll(/[\s│]/g, "");
    if (flat.includes(command.replaceAll(" ", ""))) return;
    const [, missing = ""] = /… (\d+) (?:more )?characters/.exec(text) ?? [];
    expect(Number(missing)).toBeGreaterThan(100_000);
    expect(text).toMatch(/Ctrl\+O shows all|\? and Enter shows all|shows the whole question/);
  });
});

test("a screen with few rows keeps something of each part, and says what is missing of each", () => {
  const content = [{ type: "diff", path: "a", oldText: null, newText: "new\n".repeat(100) }] as const;
  const description = `Runs in /srv. ${"because ".repeat(200)}`;
  const text = screen({ ...REQUEST, command: "x".repeat(5000), description, content }, { rows: 18 });
  expect(text.match(/… \d+ more characters · Ctrl\+O shows all/g)).toHaveLength(3);
  expect(text).toContain("Runs in /srv.");
});

test("a question mark shows what --plain has cut, and is an answer like any other where nothing is", () => {
  const long = open({ ...REQUEST, command: "x".repeat(20_000) });
  expect(questionWords(long)).toContain("14000 characters are not shown here; ? and Enter shows all");
  expect(wholeWords(long, " ? ")).toContain("x".repeat(20_000));
  expect(wholeWords(long, "1")).toBeUndefined();
  expect(wholeWords(open(REQUEST), "?")).toBeUndefined();
});

test("a password is asked for with the whole command and who asks", () => {
  const sudo: QuestionRequest = {
    type: "sudo.request",
    requestId: "r2",
    turnId: "t1",
    callId: "c1",
    timeoutMs: 1000,
    beforeEffect: false,
    command: `sudo ${"y".repeat(10_000)}\u200b`,
    publicKey: "",
    child: { sessionId: "s2", requestId: "r3", goal: "tidy\u200b up" },
  };
  for (const text of [questionWords(open(sudo)), wholeQuestion(open(sudo)), strings(open(sudo))]) {
    expect(text).toContain(`${"y".repeat(10_000)}<U+200B>`);
    expect(text).toContain("Asked by a subagent: tidy<U+200B> up");
  }
});
