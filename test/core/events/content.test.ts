import { expect, test } from "vitest";
import { contentText, segmentText, textPart } from "../../../src/core/index.ts";

test("the text of content is its text parts, each on lines of its own", () => {
  const terminal = { type: "terminal", terminalId: "t", exitCode: 0, signal: null } as const;
  expect(contentText([textPart("one\ntwo"), terminal, textPart("three")])).toBe("one\ntwo\nthree");
  expect(contentText([terminal])).toBe("");
});

test("the text of a reply and its reasoning are joined apart", () => {
  const segments = [
    { kind: "reasoning", cursor: 1, text: "so" },
    { kind: "text", cursor: 3, text: "Hel" },
    { kind: "reasoning", cursor: 6, text: "…" },
    { kind: "text", cursor: 7, text: "lo" },
  ] as const;
  expect(segmentText(segments, "text")).toBe("Hello");
  expect(segmentText(segments, "reasoning")).toBe("so…");
});
