import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { smallDisk } from "../kit/small-disk.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const MEGABYTE = 1024 * 1024;

test("a client that began on a full disk opens its session with the first Enter once there is space", async ({
  skip,
}) => {
  const made = await smallDisk(4 * MEGABYTE);
  if (typeof made === "string") return skip(made);
  await using disk = made;
  await using stage = new CommandStage();
  stage.env["AGENT_HOME"] = disk.folder;
  expect((await stage.run(["run", "--demo", "hi"])).code).toBe(0);
  disk.fill();
  await using terminal = new TestTerminal(stage, ["count to 3"], { own: true });
  const complaints = (): number => terminal.text().split("Free some space").length - 1;
  await terminal.shows("› count to 3");
  await terminal.until(() => complaints() === 1, "what keeps the session from being opened");
  terminal.type(KEYS.enter);
  await terminal.until(() => complaints() === 2, "that it is so still");
  await terminal.shows("› count to 3");
  disk.clear();
  terminal.type(KEYS.enter);
  await terminal.shows(/1 2 3[\s\S]*tokens\n/);
});
