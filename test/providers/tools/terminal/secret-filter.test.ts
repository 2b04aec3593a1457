import fc from "fast-check";
import { expect, test } from "vitest";
import { SecretFilter } from "../../../../src/providers/tools/terminal/secret-filter.ts";

test("a secret is hidden however it is cut into pieces, and nothing else is changed", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "ab", "é"), minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(
      word,
      fc.array(fc.oneof(word, fc.constant("SECRET")), { maxLength: 10 }),
      fc.integer({ min: 1, max: 5 }),
      (secret, parts, size) => {
        const filter = new SecretFilter();
        filter.add(secret);
        const text = parts.map((part) => (part === "SECRET" ? secret : part)).join("-");
        const bytes = Buffer.from(text);
        const out: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) out.push(filter.push(bytes.subarray(at, at + size)));
        out.push(filter.flush());
        expect(Buffer.concat(out).toString()).toBe(text.replaceAll(secret, "[hidden]"));
      },
    ),
  );
});

test("without a secret everything passes at once", () => {
  const filter = new SecretFilter();
  const chunk = Buffer.from("abc");
  expect(filter.push(chunk)).toBe(chunk);
  filter.add("");
  expect(filter.push(chunk)).toBe(chunk);
});
