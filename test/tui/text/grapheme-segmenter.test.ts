import fc from "fast-check";
import { expect, test } from "vitest";
import { GraphemeSegmenter } from "../../../src/tui/text/grapheme-segmenter.ts";
import { seed, times } from "../../kit/counts.ts";

const ours = new GraphemeSegmenter();
const system = new Intl.Segmenter(undefined, { granularity: "grapheme" });

test("every character up to U+3000, beside each kind of neighbour, is cut as the system cuts it", () => {
  const neighbours = ["", "a", "\n", "›", "é", "✓", "\u0301", "\u200d", "\ufe0f"];
  for (let code = 0; code < 0x3000; code += 1) {
    const each = String.fromCharCode(code);
    const text = neighbours.map((neighbour) => `${neighbour}${each}`).join("");
    for (const cut of [text, `${each}${each}`]) {
      const expected = Array.from(system.segment(cut), ({ segment }) => segment);
      const found = Array.from(ours.segment(cut), ({ segment }) => segment);
      if (found.join("|") !== expected.join("|")) expect({ code, found }).toEqual({ code, found: expected });
    }
  }
  const terminal = "› Ask anything · ⠋ ─│╭ ✓ naïve…\n";
  expect([...ours.segment(terminal)]).toEqual([...system.segment(terminal)]);
});

test("texts of a terminal are cut as the system cuts them, and each place is in the same piece", () => {
  const letters = fc.constantFrom(...Array.from("ab \r\n\t›·…é─✓⠋👩‍👧🇩🇪e\u0301\u200d\ufe0f"));
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 12 }), fc.nat(14), (text, at) => {
      expect([...ours.segment(text)]).toEqual([...system.segment(text)]);
      expect(ours.segment(text).containing(at)).toEqual(system.segment(text).containing(at));
    }),
    { seed, numRuns: times(1000) },
  );
});
