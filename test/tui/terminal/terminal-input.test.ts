import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
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
