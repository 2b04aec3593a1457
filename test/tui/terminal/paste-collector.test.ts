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

  test("ends with Ctrl+C, or with a pause; what comes behind that is pasted too until a key that no paste has", () => {
    const collector = new PasteCollector();
    collector.take(`${BEGIN}one`);
    expect(collector.take("\u0003")).toBe(`${BEGIN}one${END}\u0003`);
    expect(collector.take("rm -r x\r")).toBe(`${BEGIN}rm -r x\r${END}`);
    expect(collector.rest()).toBe("");
    expect(collector.waits).toBe(false);
    expect(collector.take("typed\r")).toBe("typed\r");
    collector.take(`${BEGIN}two\r\u001b[20`);
    expect(collector.waits).toBe(true);
    expect(collector.rest()).toBe(`${BEGIN}two\r${END}`);
    expect(collector.take(`1~typed\r`)).toBe("typed\r");
    collector.take(`${BEGIN}three`);
    expect(collector.rest()).toBe(`${BEGIN}three${END}`);
    expect(collector.take("?")).toBe("?");
    expect(collector.take("\r")).toBe(`${BEGIN}\r${END}`);
    expect(collector.rest()).toBe("");
    expect(collector.take("\r")).toBe(`${BEGIN}\r${END}`);
    expect(collector.take("\u001b[A")).toBe("\u001b[A");
    expect(collector.take("\r")).toBe("\r");
    collector.take(`${BEGIN}long`);
    collector.rest();
    const rows = "another row\r".repeat(9);
    expect(collector.take(rows) + collector.take("and more")).toBe("");
    expect(collector.take(`${END}\r`)).toBe(`${BEGIN}${rows}and more${END}\r`);
    collector.take(`${BEGIN}four`);
    collector.rest();
    expect(collector.take(`${BEGIN}five${END}\r`)).toBe(`${BEGIN}five${END}\r`);
  });

  test("loses and sends nothing wherever it pauses", () => {
    const body = fc.array(fc.constantFrom("word", "[201", "~", "\r", "\t", "\n"), { maxLength: 60 });
    fc.assert(
      fc.property(body, fc.array(fc.nat(200), { maxLength: 8 }), fc.nat(8), (parts, cuts, pause) => {
        const pasted = parts.join("");
        const places = [0, ...cuts.filter((cut) => cut < pasted.length).toSorted((a, b) => a - b)];
        const collector = new PasteCollector();
        let given = collector.take(BEGIN);
        for (const [index, place] of places.entries()) {
          if (index === pause % places.length) given += collector.rest();
          given += collector.take(pasted.slice(place, places[index + 1]));
        }
        given += collector.take(`${END}\r`);
        expect(given.replaceAll(BEGIN, "").replaceAll(END, "")).toBe(`${pasted}\r`);
        // No more than the Enter behind it is a key.
        const outside = given
          .split(END)
          .map((piece) => piece.split(BEGIN)[0])
          .join("");
        expect(outside.replaceAll(/[word201~[]/g, "")).toBe("\r");
      }),
    );
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
