import { expect, test } from "vitest";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import { timeoutsFor } from "../../../../src/providers/models/config/timeouts.ts";

test("hosted endpoints have the usual timeouts, local ones are given time", () => {
  expect(timeoutsFor({}, { local: false })).toEqual({
    readMs: 120_000,
    staleMs: 180_000,
    wholeMs: 1_800_000,
  });
  expect(timeoutsFor({}, { local: true })).toEqual({
    readMs: 1_800_000,
    staleMs: Number.POSITIVE_INFINITY,
    wholeMs: 1_800_000,
  });
});

test("what the environment sets, in seconds, goes before both", () => {
  const env = {
    AGENT_STREAM_READ_TIMEOUT: "5",
    AGENT_STREAM_STALE_TIMEOUT: " 7.5 ",
    AGENT_API_TIMEOUT: "60",
  };
  for (const local of [true, false]) {
    expect(timeoutsFor(env, { local })).toEqual({ readMs: 5000, staleMs: 7500, wholeMs: 60_000 });
  }
  expect(timeoutsFor({ AGENT_API_TIMEOUT: "" }, { local: false }).wholeMs).toBe(1_800_000);
});

test.each(["AGENT_STREAM_READ_TIMEOUT", "AGENT_STREAM_STALE_TIMEOUT", "AGENT_API_TIMEOUT"])(
  "%s is refused by name when it is no time",
  (name) => {
    for (const value of ["0", "-1", "soon", "1e99", "12s", "NaN", "Infinity", "99999999999"]) {
      const read = (): unknown => timeoutsFor({ [name]: value }, { local: true });
      expect(read).toThrow(HostError);
      expect(read).toThrow(
        expect.objectContaining({ code: "config_invalid", details: { subject: name } }) as Error,
      );
    }
  },
);
