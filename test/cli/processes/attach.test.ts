import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { recordsIn, untilRecord } from "../../kit/home-records.ts";
import { LineTerminal } from "../../kit/line-terminal.ts";
import { gate, reply, say, startModelServer, waitAt } from "../../kit/model-server/index.ts";
import { TestTerminal } from "../../tui/terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

describe("agent attach without a name", () => {
  test("finds a turn whose window was closed", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("The first half.\n\n"), waitAt(held), say("The second half.\n")]));
    stage.configure(config(server.baseUrl));
    const window = new TestTerminal(stage, [], { own: true });
    await window.shows("test-model");
    window.send("go");
    await window.shows("The first half.");
    window.hangUp();
    await untilRecord(stage, "detached", /./);
    using attached = new LineTerminal(stage, ["attach", "--plain"]);
    await attached.shows(/\S/);
    held.open();
    await attached.shows(/The second half\./);
    expect(attached.written).not.toContain("without a window");
  });

  test("names a turn that has its window still, when there is no other", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held), say("the answer.")]));
    stage.configure(config(server.baseUrl));
    await using window = new TestTerminal(stage, [], { own: true });
    await window.shows("test-model");
    window.send("go");
    await window.shows("Half of");
    const found = JSON.parse((await stage.ask(["ps", "--json"])).stdout) as readonly {
      readonly id: string;
    }[];
    const { code, stderr } = await stage.ask(["attach"]);
    expect(code).not.toBe(0);
    expect(stderr.replaceAll("\n", " ")).toContain(`\`agent attach ${found[0]?.id ?? ""}\` watches it`);
    held.open();
  });
});

describe("a turn that is left", () => {
  test("can be stopped by the time that its window says so", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held), say("the answer.")]));
    stage.configure(config(server.baseUrl));
    await using window = new TestTerminal(stage, [], { own: true });
    await window.shows("test-model");
    window.send("go");
    await window.shows("Half of");
    let noted: string | undefined;
    window.kill("SIGHUP");
    await window.until(() => {
      if (window.raw.includes("goes on without this window")) noted ??= recordsIn(stage.home, "detached");
      return noted !== undefined;
    });
    expect(noted).not.toBe("");
    expect((await stage.ask(["stop", "--all"])).stdout).toMatch(/^Stopped /);
    held.open();
  });
});
