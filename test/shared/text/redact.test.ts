import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/shared/text/redact.ts";
import { times } from "../../kit/counts.ts";

const secret = 'p"ss\\w0rd-with-"quotes"';

describe("the redactor", () => {
  test("finds a secret in a stream wherever it is cut, and loses no other character", () => {
    const redactor = createRedactor([secret, "another-secret"]);
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: "grapheme" }),
            fc.constantFrom(secret, "another-secret", "anoth", 'p"ss'),
          ),
          { maxLength: 8 },
        ),
        fc.array(fc.nat({ max: 12 }), { maxLength: 30 }),
        (parts, cuts) => {
          const text = parts.join("");
          const stream = redactor.stream();
          let out = "";
          let at = 0;
          for (const length of cuts) {
            out += stream.push(text.slice(at, at + length));
            at += length;
          }
          out += stream.push(text.slice(Math.min(at, text.length))) + stream.flush();
          expect(out).toBe(redactor.hide(text).toWellFormed());
          expect(out).not.toContain(secret);
        },
      ),
      { numRuns: times(5000) },
    );
  });

  test("hides secrets in JSON, escaped as they are there, and leaves JSON", () => {
    const redactor = createRedactor([secret]);
    const json = redactor.hideInJson(JSON.stringify({ a: `x ${secret} y`, [secret]: 1 }));
    expect(JSON.parse(json)).toEqual({ a: "x [redacted] y", "[redacted]": 1 });
  });

  test("leaves short values alone: they are ordinary words", () => {
    expect(createRedactor(["", "on", "1234567"]).hide("on 1234567")).toBe("on 1234567");
  });

  test("hides what overlaps as one, and what stands side by side as two", () => {
    const redactor = createRedactor(["abcdefgh", "efghijkl"]);
    expect(redactor.hide("-abcdefghijkl-")).toBe("-[redacted]-");
    expect(redactor.hide("-abcdefghefghijkl-")).toBe("-[redacted][redacted]-");
  });

  test("never breaks JSON, whatever escapes stand beside a secret or in it", () => {
    fc.assert(
      fc.property(
        fc.string({
          minLength: 8,
          maxLength: 12,
          unit: fc.constantFrom("n", "u", "0", '"', "\\", "\n", "a"),
        }),
        fc.array(fc.constantFrom("\n", "\\", '"', "u", "0041", "n", "S", ",")),
        (value, parts) => {
          const redactor = createRedactor([value]);
          const text = parts.map((part) => (part === "S" ? value : part)).join("");
          const shown: unknown = JSON.parse(
            redactor.hideInJson(JSON.stringify({ [text]: [text, 12_345_678] })),
          );
          const hidden = redactor.hide(text);
          expect(shown).toEqual({ [hidden]: [hidden, 12_345_678] });
        },
      ),
      { numRuns: times(2000) },
    );
  });
});

/** A secret's spellings, as programs write them; each hides all but what is marked as seen. */
const SPELLINGS: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  reversed: (value) => Array.from(value).toReversed().join(""),
  "in hexadecimal digits": (value) => Buffer.from(value).toString("hex"),
  "in large hexadecimal digits": (value) => Buffer.from(value).toString("hex").toUpperCase(),
  "percent-encoded": encodeURIComponent,
  "percent-encoded with small digits": (value) =>
    encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
  "as a field of a form": (value) => new URLSearchParams({ value }).toString().slice("value=".length),
  "with each byte percent-encoded": (value) => Buffer.from(value).toString("hex").replaceAll(/../g, "%$&"),
  "as JSON in JSON": (value) => JSON.stringify(value).slice(1, -1),
  "in HTML": (value) =>
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  "in base64": (value) => Buffer.from(value).toString("base64"),
  "in base64 for addresses": (value) => Buffer.from(value).toString("base64url"),
};

describe("the spellings of a secret", () => {
  const values = [
    "sk-live-4f9a0c7e21",
    'p&ss<w0rd> "with+all/kinds"\\=',
    "pässwörd→geheim!*()",
    "???>>>~~~ÿÿÿ0",
  ];

  test.for(Object.keys(SPELLINGS))("it is hidden %s", (name) => {
    for (const value of values) {
      const text = SPELLINGS[name]?.(value) ?? "";
      const redactor = createRedactor([value]);
      expect(redactor.hide(`x ${text} y`)).toMatch(/^x [^ ]?\[redacted\]=* y$/);
      const { answer }: { answer: string } = JSON.parse(
        redactor.hideInJson(JSON.stringify({ answer: text })),
      );
      expect(answer).toMatch(/^.?\[redacted\]=*$/s);
    }
  });

  test("it is hidden in base64 behind and before any bytes, but for the digits that it shares with them", () => {
    for (const value of values)
      for (const kind of ["base64", "base64url"] as const)
        for (const [before, after] of [
          ["", "z"],
          ["a", "zz"],
          ["ab", ""],
          ["abc", "z"],
          ["abcd", "z"],
          ["user:", ""],
        ]) {
          const text = Buffer.from(`${before}${value}${after}`).toString(kind);
          const shown = createRedactor([value]).hide(text);
          const rest = Math.ceil(((before?.length ?? 0) * 4) / 3) + Math.ceil(((after?.length ?? 0) * 4) / 3);
          expect(shown).toContain("[redacted]");
          expect(shown.replace("[redacted]", "").replaceAll("=", "").length).toBeLessThanOrEqual(rest + 3);
        }
  });

  test("it is hidden where a program has wrapped its digits into lines", () => {
    const [value = ""] = values;
    for (const end of ["\n", "\r\n"])
      for (let width = 3; width < 20; width += 1) {
        const wrap = (digits: string): string =>
          digits.replaceAll(new RegExp(`.{${width}}`, "g"), `$&${end}`);
        for (const kind of ["base64", "hex"] as const) {
          const text = `: ${wrap(Buffer.from(value).toString(kind).replaceAll("=", ""))} .`;
          const redactor = createRedactor([value]);
          expect(redactor.hide(text)).toMatch(/^: .?\[redacted\]\s* \.$/);
          const stream = redactor.stream();
          const pieces = Array.from(text, (piece) => stream.push(piece));
          expect(pieces.join("") + stream.flush()).toBe(redactor.hide(text));
        }
      }
  });

  test("a stream of ordinary words is not held back for its disguises", () => {
    const stream = createRedactor(["sk-live-4f9a0c7e21"]).stream();
    const words = "7 Ho w t he u ser' s d ata i s s tored in 3 files ".split(/(?<= )/);
    const shown = words.map((word) => stream.push(word));
    expect(shown.filter((text, index) => text !== words[index])).toEqual([]);
  });
});

describe("the time that redaction takes", () => {
  test("it grows with the text alone, also for text made of beginnings of secrets", () => {
    const value = `${"a".repeat(400)}b`;
    const redactor = createRedactor([value, "ab".repeat(300)]);
    const hostile = "a".repeat(400).concat("\n");
    const seconds = (size: number): number => {
      const text = hostile.repeat(size);
      const started = process.cpuUsage();
      redactor.hide(text);
      redactor.hideInJson(JSON.stringify(text));
      const stream = redactor.stream();
      for (let at = 0; at < text.length; at += 3) stream.push(text.slice(at, at + 3));
      return process.cpuUsage(started).user / 1e6;
    };
    seconds(50);
    const small = Math.min(seconds(100), seconds(100), seconds(100));
    const large = Math.min(seconds(400), seconds(400), seconds(400));
    // Four times the text: sixteen times the work if it were quadratic.
    expect(large / small).toBeLessThan(10);
  });
});
