import { expect, test } from "vitest";
import { errorText } from "../../../../src/providers/models/errors/error-text.ts";

test.each<[string, string, string]>([
  ["the usual shape", '{"error":{"message":"Too fast","type":"x"}}', "Too fast"],
  ["an error as text", '{"error":"Too fast"}', "Too fast"],
  ["a message alone", '{"message":"Too fast","code":4}', "Too fast"],
  ["a detail", '{"detail":"Not Found"}', "Not Found"],
  ["a list of details", '{"detail":[{"loc":["body"],"msg":"field required"}]}', "field required"],
  ["a list of errors", '[{"error":{"message":"Too fast"}}]', "Too fast"],
  [
    "what a router passed on",
    '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"message\\":\\"full\\"}"}}}',
    "Provider returned error: full",
  ],
  ["plain text", "  upstream\n\n connect\u0007 error ", "upstream connect error"],
  [
    "a page",
    "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
    "a web page titled 502 Bad Gateway",
  ],
  ["a page without a title", "<!doctype html><p>oops", "a web page"],
  ["JSON that says nothing", '{"ok":false}', ""],
  ["nothing", "", ""],
])("%s is read", (_title, body, text) => {
  expect(errorText(body, [])).toBe(text);
});

test("a long text is cut at 300 characters, never inside one", () => {
  const text = errorText("😀".repeat(400), []);
  expect(text).toHaveLength(301);
  expect(text.isWellFormed()).toBe(true);
});

test("secrets are replaced before the text is cut", () => {
  const body = `${"x".repeat(296)} sk-secret-1 and token-2`;
  expect(errorText(body, ["sk-secret-1", "token-2", ""])).not.toMatch(/sk-|token/);
  expect(errorText("key sk-secret-1 is wrong", ["sk-secret-1"])).toBe("key [secret] is wrong");
});
