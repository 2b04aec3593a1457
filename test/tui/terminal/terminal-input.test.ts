import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { handClock } from "../../kit/clock.ts";
import { TerminalInput } from "../../../src/tui/terminal/terminal-input.ts";

const ESCAPE_KEY = "\u001b[27u";

/** What Ink gets to read of what a terminal sends. */
async function read(...pieces: readonly string[]): Promise<string> {
  const source = new PassThrough({ encoding: "utf8" });
  const input = new TerminalInput(source, { onReply: () => undefined, isReceiptDue: () => false });
  // It has said what it is: no answer is due that an Escape could begin.
  source.write("\u001b[?62;22c");
  input.read();
  let typed = "";
  for (const piece of pieces) {
    source.write(piece);
    typed += input.read() ?? "";
  }
  if (typed !== "") return typed;
  input.on("readable", () => (typed += input.read() ?? ""));
  await once(input, "readable");
  return typed;
}

describe("an Escape that comes alone", () => {
  test("is a key each time, also when two come at once or close together", async () => {
    expect(await read("\u001b")).toBe(ESCAPE_KEY);
    expect(await read("\u001b\u001b")).toBe(ESCAPE_KEY.repeat(2));
    expect(await read("\u001b", "\u001b")).toBe(ESCAPE_KEY.repeat(2));
  });

  test("is the beginning of what comes right behind it", async () => {
    expect(await read("\u001b", "[A")).toBe("\u001b[A");
    expect(await read("\u001b", "b")).toBe("\u001bb");
    expect(await read("\u001b\u001b", "[A")).toBe("\u001b\u001b[A");
  });
});

test("a paste whose end does not come is there after two seconds of silence, and a slow one is whole", () => {
  const clock = handClock();
  const source = new PassThrough({ encoding: "utf8" });
  const input = new TerminalInput(source, { onReply: () => undefined, isReceiptDue: () => false, clock });
  const typed = (text: string): string => {
    source.write(text);
    return input.read() ?? "";
  };
  typed("\u001b[?62;22c");
  expect(typed("\u001b[200~one ")).toBe("");
  clock.advance(1500);
  expect(typed("two ")).toBe("");
  clock.advance(1500);
  // What the terminal says by itself is no piece of it.
  expect(typed("\u001b[I")).toBe("");
  expect(input.read()).toBeNull();
  clock.advance(500);
  expect(typed("three\r")).toBe("\u001b[200~one two \u001b[201~\u001b[200~three\r\u001b[201~");
  expect(typed("\u0003")).toBe("\u0003");
  expect(typed("\r")).toBe("\r");
});
