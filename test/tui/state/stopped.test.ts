import { expect, test } from "vitest";
import { stoppedWords } from "../../../src/shared/text/surface-words.ts";
import { reduceAll, type ViewAction } from "../../../src/tui/state/reduce.ts";
import { EMPTY_VIEW } from "../../../src/tui/state/view-state.ts";

const event = (type: string, payload: object): ViewAction =>
  ({ type: "event", event: { type, payload, session_id: "s" }, at: 0 }) as unknown as ViewAction;

const BEGINS = event("message.start", {
  prompt_id: "p",
  turn_id: "t",
  text: "hi",
  images: 0,
  from: { surface: "gateway" },
});
const ENDS = event("message.complete", {
  turn_id: "t",
  text: "",
  status: "interrupted",
  usage: { total: 0 },
  stopped_by: "gateway",
});
const endOf = (...actions: readonly ViewAction[]) => reduceAll(EMPTY_VIEW, actions).finished.at(-1)?.entry;

test("a turn that this window's person stopped was stopped by you, any other names the place", () => {
  expect(endOf(BEGINS, { type: "interrupting" }, ENDS)).toMatchObject({
    text: expect.stringMatching(/^by you/),
  });
  expect(endOf(BEGINS, ENDS)).toMatchObject({ text: expect.stringMatching(/^from another window/) });
});

test("an answer that is not whole says why, before what the turn cost", () => {
  const usage = { total: 0 };
  const ends = { turn_id: "t", text: "Hal", status: "complete", usage, warning: "The answer is cut." };
  const { finished } = reduceAll(EMPTY_VIEW, [BEGINS, event("message.complete", ends)]);
  expect(finished.map(({ entry }) => entry).slice(-3)).toEqual([
    expect.objectContaining({ kind: "answer", text: "Hal" }),
    expect.objectContaining({ text: "The answer is cut." }),
    expect.objectContaining({ kind: "turn", outcome: "complete" }),
  ]);
});

test("a prompt that runs by itself after its process died says so, one that is sent does not", () => {
  const queue = [{ id: "p", text: "hi", held: false }];
  const died = { ...EMPTY_VIEW, queue, lastTurn: { outcome: "interrupted", died: true } } as const;
  const said = (...actions: readonly ViewAction[]) =>
    reduceAll(died, actions).finished.map(({ entry }) => ("text" in entry ? entry.text : ""));
  expect(said(BEGINS).join(" ")).toContain("queued before the interruption and runs now. Esc stops it");
  expect(said({ type: "sending", text: "hi" }, BEGINS)).toEqual(["hi"]);
});

test("histories name who stopped a turn in words, not by the name of a surface", () => {
  expect(["gateway", "tui", "cli", "acp"].map(stoppedWords)).toEqual(Array(4).fill("You stopped it."));
  expect(stoppedWords("api")).toBe("It was stopped from the HTTP API.");
  expect(stoppedWords("telegram")).toBe("It was stopped from telegram.");
});
