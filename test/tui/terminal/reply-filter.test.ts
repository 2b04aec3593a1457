import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type TerminalReply, TerminalReplyFilter } from "../../../src/tui/terminal/reply-filter.ts";

/** What a filter makes of pieces, and of what it still holds at the end. */
function filtered(...pieces: readonly string[]) {
  const filter = new TerminalReplyFilter(() => true);
  const replies: TerminalReply[] = [];
  let typed = "";
  for (const piece of pieces) {
    const taken = filter.take(piece);
    typed += taken.typed;
    replies.push(...taken.replies);
  }
  return { typed: typed + filter.release(), replies };
}

const ALL = "a\u001b[?1u\u001b]11;rgb:ffff/fafa/e0e0\u001b\\b\u001b[A\u001b[?62;22c\u001b[Oc\u001b[I";

describe("what a terminal says of itself", () => {
  test("is told apart from what is typed, however it is cut", () => {
    const cuts = fc.array(fc.nat(ALL.length), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, (places) => {
        const ends = [0, ...places.toSorted((a, b) => a - b), ALL.length];
        const pieces = ends.slice(1).map((end, index) => ALL.slice(ends[index], end));
        const { typed, replies } = filtered(...pieces);
        // After the last answer that is due, an Escape at the end of a piece is a key: focus comes in one piece.
        expect(replies.filter(({ type }) => type !== "focus")).toEqual([
          { type: "keyboard" },
          { type: "background", background: "light" },
          { type: "done" },
        ]);
        expect(typed.startsWith("ab\u001b[A")).toBe(true);
      }),
    );
    expect(filtered(ALL)).toEqual({
      typed: "ab\u001b[Ac",
      replies: [
        { type: "keyboard" },
        { type: "background", background: "light" },
        { type: "done" },
        { type: "focus", focused: false },
        { type: "focus", focused: true },
      ],
    });
  });

  test("tells a dark background from a light one, in as many digits as it says it", () => {
    const background = (colour: string) => filtered(`\u001b]11;rgb:${colour}\u0007`).replies;
    expect(background("1e1e/1e1e/2e2e")).toEqual([{ type: "background", background: "dark" }]);
    expect(background("f/f/e")).toEqual([{ type: "background", background: "light" }]);
    expect(background("00/2b/36")).toEqual([{ type: "background", background: "dark" }]);
  });

  test("keys come through as they are, an Escape too", () => {
    expect(filtered("\u001b", "x\u001b[1;5C\u001b[13;2u\u001b").typed).toBe(
      "\u001bx\u001b[1;5C\u001b[13;2u\u001b",
    );
  });
});
