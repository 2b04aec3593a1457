import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PasteCollector } from "../../../src/tui/terminal/paste-collector.ts";

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

describe("what is pasted", () => {
  test("is given on in one piece, whatever comes before and behind it", () => {
    const collector = new PasteCollector();
    expect(collector.take(`a${BEGIN}one`)).toBe("a");
    expect(collector.take("two")).toBe("");
    expect(collector.take(`three${END}b`)).toBe(`${BEGIN}onetwothree${END}b`);
    expect(collector.take(`${BEGIN}x${END}y${BEGIN}z`)).toBe(`${BEGIN}x${END}y`);
    expect(collector.take(END)).toBe(`${BEGIN}z${END}`);
    expect(collector.take("typed")).toBe("typed");
  });

  test("ends where it ends, and loses nothing, however it is cut", () => {
    const body = fc.array(fc.constantFrom("word", "\u001b", "[201", "~", "\n"), { maxLength: 6 });
    fc.assert(
      fc.property(body, fc.array(fc.nat(40), { maxLength: 8 }), (parts, cuts) => {
        const pasted = parts.join("").replaceAll(END, "");
        const text = `${pasted}${END}after`;
        const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
        const collector = new PasteCollector();
        const given = [collector.take(`before${BEGIN}`)];
        for (const [index, place] of places.slice(1).entries())
          given.push(collector.take(text.slice(places[index], place)));
        expect(given.join("")).toBe(`before${BEGIN}${text}`);
        // The paste is one of the pieces, whole.
        expect(given.some((piece) => piece.startsWith(`${BEGIN}${pasted}${END}`))).toBe(true);
      }),
    );
  });
});
