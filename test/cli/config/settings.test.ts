import { expect, test } from "vitest";
import { HostError } from "../../../src/core/index.ts";
import { checkConfig, strangeKeys } from "../../../src/cli/config/settings.ts";

test.each([
  [{ aprovals: { mode: "off" } }, "aprovals", "approvals"],
  [{ approvals: { modes: "off" } }, "approvals.modes", "approvals.mode"],
  [{ web: { search: { provder: "brave" } } }, "web.search.provder", "web.search.provider"],
])("a mistyped setting in %j is refused with what was probably meant", (values, key, meant) => {
  const problem = `${key} in config.yaml is no setting. Did you mean ${meant}?`;
  expect(() => checkConfig(values, "config.yaml")).toThrow(
    new HostError("config_invalid", problem, { details: { subject: key } }),
  );
});

test("keys of other programs are let be, and named to those who ask", () => {
  const values = { weather: { city: "Rome" }, display: { anything: 1 }, limits: { iterations: 5 } };
  expect(checkConfig(values, "config.yaml").limits).toEqual({ iterations: 5 });
  expect(strangeKeys(values)).toEqual([{ path: "weather" }]);
});
