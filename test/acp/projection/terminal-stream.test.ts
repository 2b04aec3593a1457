import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TerminalStream } from "../../../src/acp/projection/terminal-stream.ts";
import { times } from "../../kit/counts.ts";

/** Streams a text in pieces; a piece that is `false` is lost on the way. */
function streamed(pieces: readonly (readonly [string, boolean])[], result: string): string {
  const terminal = new TerminalStream();
  let at = 0;
  let shown = "";
  for (const [text, comes] of pieces) {
    if (comes) shown += terminal.push({ at, text });
    at += text.length;
  }
  return shown + terminal.end(result);
}

const word = fc.string({ unit: fc.constantFrom("a", "b", "ü", "😀", "\n"), minLength: 1, maxLength: 30 });

describe("a terminal stream", () => {
  test("has the whole of a short output, however it comes in pieces", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (pieces) => {
        const all = pieces.join("");
        const whole = pieces.map((text) => [text, true] as const);
        expect(streamed(whole, all.trimEnd()).trimEnd()).toBe(all.trimEnd());
      }),
      { numRuns: times(1000) },
    );
  });

  test("says what it missed, and has the end whatever was lost on the way", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, fc.boolean()), { minLength: 1, maxLength: 20 }),
        fc.uuid(),
        (pieces, last) => {
          const all = `${pieces.map(([text]) => text).join("")}\n${last}`;
          const shown = streamed(pieces, all);
          expect(shown.endsWith(last)).toBe(true);
          expect(shown === all || shown.includes("[…")).toBe(true);
        },
      ),
      { numRuns: times(1000) },
    );
  });

  test("takes pieces that overlap for what they are", () => {
    const terminal = new TerminalStream();
    expect(terminal.push({ at: 0, text: "one two" })).toBe("one two");
    expect(terminal.push({ at: 4, text: "two three" })).toBe(" three");
    expect(terminal.push({ at: 4, text: "two" })).toBe("");
  });

  test("stays small, however much is printed, and keeps beginning and end", () => {
    const terminal = new TerminalStream();
    let shown = "";
    const text = `${"x".repeat(64 * 1024 - 1)}\n`;
    for (let at = 0; at < 200_000_000; at += text.length) shown += terminal.push({ at, text });
    shown += terminal.end(`${text.slice(0, 100)}\n[… left out …]\n${"x".repeat(20_000)} the end`);
    expect(shown.length).toBeLessThan(1_200_000);
    expect(shown.startsWith(text)).toBe(true);
    expect(shown.endsWith("x the end")).toBe(true);
  });

  test.each([
    ["colours", "\u001B[31mred\u001B[0m\n", "red"],
    ["a line written over", "10%\r50%\r100%\r\n", "100%"],
  ])("is not told the same twice because of %s", (_name, printed, result) => {
    expect(streamed([[printed, true]], result)).toBe(printed);
    expect(streamed([[printed, true]], `${result}\n[exit code 3]`)).toBe(`${printed}[exit code 3]`);
  });

  test("gets all of a result that came without any output before", () => {
    expect(streamed([], "denied")).toBe("denied");
  });
});
