import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";

test.each([
  ["sessions", "list"],
  ["sessions", "search", "word"],
  ["sessions", "timeline", "id"],
  ["jobs", "runs", "id"],
  ["webhook", "deliveries"],
])("agent %s %s takes no limit of 0, which would look as if there were none", async (...words) => {
  await using stage = new CommandStage();
  const { code, stdout, stderr } = await stage.ask([...words, "--limit", "0"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("It must be at least 1.");
});
