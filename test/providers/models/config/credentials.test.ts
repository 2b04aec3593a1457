import { describe, expect, test } from "vitest";
import { findKey, type KeySettings, keyRemedy } from "../../../../src/providers/models/config/credentials.ts";

const source = (config: KeySettings["config"], change: Partial<KeySettings> = {}): KeySettings => ({
  config,
  defaultVariables: ["DEFAULT_KEY"],
  foreignVariables: new Map(),
  host: "models.test",
  optional: false,
  path: "model",
  ...change,
});

describe("a key", () => {
  test("is in the variable that key_env names, also when the default one is set (rule 5)", () => {
    expect(findKey(source({ keyEnv: "MINE", apiKey: "c" }), { MINE: " a ", DEFAULT_KEY: "b" })).toBe("a");
  });

  test("is beside it in the configuration, else in the default variable", () => {
    expect(findKey(source({ apiKey: "c" }), { DEFAULT_KEY: "b" })).toBe("c");
    expect(findKey(source({}), { DEFAULT_KEY: "b" })).toBe("b");
  });

  test("that is named and missing is not replaced by one for somebody else", () => {
    const find = (): unknown =>
      findKey(source({ keyEnv: "MINE", apiKey: "c" }, { optional: true }), { MINE: " ", DEFAULT_KEY: "b" });
    expect(find).toThrow(
      expect.objectContaining({ code: "provider_auth", details: { subject: "MINE" } }) as Error,
    );
  });

  test("that is missing is named by its variable", () => {
    expect(() => findKey(source({}), {})).toThrow("There is no key: DEFAULT_KEY is not set.");
  });

  test("may be missing where it is optional", () => {
    expect(findKey(source({}, { optional: true }), {})).toBeUndefined();
  });
});

test("who has a wrong key is told where it came from", () => {
  expect(keyRemedy(source({ keyEnv: "MINE" }))).toContain("MINE");
  expect(keyRemedy(source({ apiKey: "c" }))).toBe("Check model.api_key.");
  expect(keyRemedy(source({}))).toContain("DEFAULT_KEY");
  expect(keyRemedy(source({}, { optional: true, defaultVariables: [] }))).toContain("model.key_env");
});
