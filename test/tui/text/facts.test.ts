import { expect, test } from "vitest";
import { fitFacts } from "../../../src/tui/text/facts.ts";

test("of facts that do not fit, the first and the last stay", () => {
  const facts = "Enter opens · Ctrl+N new · Ctrl+D deletes · Esc closes";
  expect(fitFacts(facts, 80)).toBe(facts);
  expect(fitFacts(facts, 40)).toBe("Enter opens · Ctrl+N new · Esc closes");
  expect(fitFacts(facts, 26)).toBe("Enter opens · Esc closes");
  expect(fitFacts(facts, 12)).toBe("Enter opens");
  expect(fitFacts(facts, 6)).toBe("Enter…");
});
