import { describe, expect, test } from "vitest";
import { type Agreement, agreementOf, differencesOf } from "../../../src/app/cluster/agreement.ts";
import { homePaths } from "../../../src/app/config/home.ts";

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const OTHER_ZONE = ZONE === "Asia/Tokyo" ? "UTC" : "Asia/Tokyo";

const agreement = (config: Record<string, unknown>, secret = "s".repeat(40)): Agreement =>
  agreementOf({
    config,
    env: {},
    paths: homePaths({ AGENT_HOME: "/nowhere" }, "/"),
    cluster: { secret, adoptWorkspaces: false },
  });

/** What each of the hosts is found to differ in, with the groups. */
const found = (...agreements: readonly Agreement[]): readonly (readonly [string, string])[] =>
  differencesOf(agreements.map((each, index) => ({ hostId: String(index + 1), agreement: each }))).map(
    ({ topic, groups }) => [topic, groups.map((group) => group.join()).join(" | ")] as const,
  );

describe("what must agree", () => {
  test("is the time zone that counts, whether it is written or the machine's own", () => {
    const own = agreement({});
    expect(found(own, agreement({ timezone: ZONE }))).toEqual([]);
    expect(found(own, agreement({ timezone: OTHER_ZONE }))).toEqual([["jobs and time zone", "1 | 2"]]);
  });

  test("is the secret first: all else of a host that has another one cannot be judged", () => {
    const [one, other] = [agreement({}), agreement({}, "x".repeat(40))];
    expect(found(one, other)).toEqual([["cluster.secret", "1 | 2"]]);
    const strict = agreement({ approvals: { mode: "ask" } });
    expect(found(other, one, strict)).toEqual([
      ["cluster.secret", "2,3 | 1"],
      ["approvals", "2 | 3"],
    ]);
  });

  test("is compared as far as an older host tells of it", () => {
    const { "cluster.secret": _secret, ...older } = agreement({ model: "other" });
    expect(found(agreement({}), older)).toEqual([["model", "1 | 2"]]);
  });
});
