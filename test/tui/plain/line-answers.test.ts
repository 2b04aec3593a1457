import { describe, expect, test } from "vitest";
import type { AlwaysScope } from "../../../src/core/index.ts";
import { encodeOpenRequest } from "../../../src/rpc/encode/question.ts";
import { LineAnswers } from "../../../src/tui/plain/line-answers.ts";

const base = { turnId: "t", callId: "c", timeoutMs: 1000, beforeEffect: true } as const;

const approval = (id: string, scopes?: readonly AlwaysScope[]) =>
  encodeOpenRequest(
    "s",
    {
      ...base,
      type: "approval.request",
      requestId: id,
      toolName: "terminal",
      command: "git tag v1",
      description: "",
      patterns: ["git tag *"],
      choices: ["once", "session", "always", "deny"],
      inputHash: "",
      ...(scopes && { scopes }),
    },
    () => "",
  );

const clarify = encodeOpenRequest(
  "s",
  { ...base, type: "clarify.request", requestId: "c", question: "Which?", choices: ["red", "green"] },
  () => "",
);

const secret = encodeOpenRequest(
  "s",
  { ...base, type: "secret.request", requestId: "k", envVar: "KEY", prompt: "The key", publicKey: "" },
  () => "",
);

/** Answers of somebody who has seen the questions, in this order. */
function seen(...open: readonly ReturnType<typeof approval>[]): LineAnswers {
  const answers = new LineAnswers();
  for (const { params } of open) answers.numbers.of(params.request_id);
  return answers;
}

describe("a line", () => {
  test.each(["1", "y", "Yes", "no", "allow", "ok"])(
    "that is a mere answer is no prompt, and says how the question is answered: %j",
    (typed) => {
      const request = approval("a");
      const said = {
        type: "say",
        text: expect.stringContaining("answers nothing: question 1 is answered with /allow 1"),
      };
      expect(seen(request).read(typed, [request])).toEqual(said);
      expect(seen(clarify).read(typed, [clarify])).toMatchObject({
        text: expect.stringContaining("/answer 1"),
      });
      expect(seen().read(typed, [])).toEqual({ type: "other" });
    },
  );

  test.each(["allow 1", "once", "/allowed 1", "/allow-1", "please /allow 1", ""])(
    "that names no question answers none: %j",
    (typed) => {
      const request = approval("a");
      expect(seen(request).read(typed, [request])).toEqual({ type: "other" });
    },
  );

  test.each(["/allow", "/allow 2", "/allow 1x", "/deny", "/answer"])(
    "without its number says so: %j",
    (typed) => {
      const request = approval("a");
      expect(seen(request).read(typed, [request])).toMatchObject({ type: "say" });
    },
  );

  test("that comes too late answers no other question", () => {
    const [first, second] = [approval("a"), approval("b")];
    const answers = seen(first, second);
    expect(answers.read("/allow 1", [second])).toEqual({
      type: "say",
      text: "Question 1 is not open, nothing was answered. Open: question 2.",
    });
    expect(answers.read("/allow 2", [second])).toMatchObject({ type: "answer", value: "once" });
  });

  test("allows for longer, or denies with words", () => {
    const request = approval("a");
    const answers = seen(request);
    expect(answers.read("/allow 1 session", [request])).toMatchObject({ type: "answer", value: "session" });
    expect(answers.read("/allow 1 all", [request])).toMatchObject({ type: "say" });
    expect(answers.read("/allow 1 deny", [request])).toMatchObject({ type: "say" });
    expect(answers.read("/deny 1 use v2", [request])).toMatchObject({ value: "deny", note: "use v2" });
  });

  test("allows nothing for ever before it was shown", () => {
    const request = approval("a");
    const answers = seen(request);
    const shown = { type: "say", text: expect.stringMatching(/git tag \*[\s\S]*\/allow 1 always yes/) };
    expect(answers.read("/allow 1 always yes", [request])).toEqual(shown);
    expect(answers.read("/allow 1 always", [request])).toEqual(shown);
    expect(answers.read("/allow 1 always yes", [request])).toMatchObject({ type: "answer", value: "always" });
  });

  test("answers in words or by the number of a choice", () => {
    const answers = seen(clarify);
    expect(answers.read("/answer 1 2", [clarify])).toMatchObject({ value: "green" });
    expect(answers.read("/answer 1 12", [clarify])).toMatchObject({ value: "12" });
    expect(answers.read("/answer 1 Violet, please", [clarify])).toMatchObject({ value: "Violet, please" });
    expect(answers.read("/deny 1", [clarify])).toMatchObject({ type: "answer", value: "" });
    expect(answers.read("/allow 1", [clarify])).toMatchObject({ type: "say" });
  });

  test("after /answer is the secret itself, unless the question is over", () => {
    const answers = seen(secret);
    expect(answers.read("/answer 1", [secret])).toMatchObject({ type: "say" });
    expect(answers.isHidden).toBe(true);
    expect(answers.read("/deny 1 ", [secret])).toMatchObject({ type: "answer", value: "/deny 1 " });
    expect(answers.isHidden).toBe(false);
    answers.read("/answer 1", [secret]);
    expect(answers.read("hunter2", [])).toMatchObject({
      type: "say",
      text: expect.not.stringContaining("hunter2"),
    });
    expect(answers.read("hunter2", [])).toEqual({ type: "other" });
  });
});

test("what is allowed for ever is one of what was listed, by its number", () => {
  const request = approval("a", [
    { id: "1", folder: "/work", rules: ["in:/work:git tag *"] },
    { id: "2", rules: ["git tag *"] },
  ]);
  const answers = seen(request);
  expect(answers.read("/allow 1 always 2", [request])).toMatchObject({
    type: "say",
    text: expect.stringMatching(
      /This folder is \/work[\s\S]*\/allow 1 always 1 {2}In this folder: git tag \*\n {2}\/allow 1 always 2 {2}In every folder: git tag \*/,
    ),
  });
  for (const line of ["/allow 1 always", "/allow 1 always yes", "/allow 1 always 3", "/allow 1 always 0"])
    expect(answers.read(line, [request]).type).toBe("say");
  expect(answers.read("/allow 1 always 1", [request])).toMatchObject({ type: "answer", value: "always 1" });
});
