import { expect, test } from "vitest";
import { isNewer } from "../../../src/app/update/version-order.ts";

test("versions are newer in the order of semantic versions, and what is none is never newer", () => {
  const order = ["0.1.0", "0.1.9", "0.1.10-rc.2", "0.1.10-rc.10", "0.1.10", "0.2.0", "1.0.0-alpha", "1.0.0"];
  for (const [at, version] of order.entries())
    for (const [place, other] of order.entries())
      expect([version, other, isNewer(version, other)]).toEqual([version, other, at > place]);
  for (const none of ["", "latest", "1.0", "../../x", "1.0.0;rm"]) expect(isNewer(none, "0.1.0")).toBe(false);
});
