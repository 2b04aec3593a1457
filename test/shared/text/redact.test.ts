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
});
