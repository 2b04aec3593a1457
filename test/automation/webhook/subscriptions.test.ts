import { expect, test } from "vitest";
import type { HostError } from "../../../src/shared/errors/host-error.ts";
import { subscriptionReader } from "../../../src/automation/webhook/index.ts";

test("the file is read anew whenever its content changes, and a damaged one leaves the routes as they were", () => {
  let text: string | undefined;
  const reported: HostError[] = [];
  const read = subscriptionReader({
    read: () => text,
    secret: "global-secret-0123456789",
    host: "0.0.0.0",
    report: (error) => reported.push(error),
  });
  const names = (): readonly string[] => [...read().keys()];
  expect(names()).toEqual([]);
  text = JSON.stringify({ a: { secret: "own-secret-0123456789" }, b: {} });
  expect(names()).toEqual(["a", "b"]);
  expect(read().get("b")).toMatchObject({ secret: "global-secret-0123456789" });
  text = '{"a": {"sec';
  expect(names()).toEqual(["a", "b"]);
  expect(names()).toEqual(["a", "b"]);
  expect(reported).toHaveLength(1);
  text = JSON.stringify({
    c: {},
    empty: { secret: "" },
    weak: { secret: "changeme" },
    open: { secret: "INSECURE_NO_AUTH" },
    bad: { events: 7 },
    "a/b": {},
  });
  expect(names()).toEqual(["c"]);
  expect(reported).toHaveLength(6);
  text = undefined;
  expect(names()).toEqual([]);
});
