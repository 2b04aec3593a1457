import { expect, test } from "vitest";
import { SessionPlace } from "../../../src/app/sandbox/session-place.ts";

test("a session takes no host that its sandbox would refuse, also before there is one", () => {
  const place = new SessionPlace();
  for (const wrong of ["***", "*", "*.*", "http://x/y", "..", ""]) {
    expect(() => place.allow(wrong)).toThrow("It is no host: ");
    expect(() => place.forbid(wrong)).toThrow("It is no host: ");
  }
  place.allow("example.com:8080");
  expect([...place.hosts]).toEqual(["example.com:8080"]);
});
