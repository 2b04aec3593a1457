import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunning, readIdentity } from "../../src/providers/store/index.ts";
import { CommandStage } from "../kit/command.ts";
import { callTool, reply, say, startModelServer } from "../kit/model-server/index.ts";

test("kill -9 while a subagent runs a command leaves no process, and the next start says what became of both", async () => {
  await using server = await startModelServer();
  await using stage = new CommandStage();
  stage.configure(`model:
  provider: local
  base_url: ${server.baseUrl}
  default: test-model
approvals:
  mode: "off"
`);
  const file = join(stage.home, "pid");
  server.script(
    reply([say("I delegate. "), callTool("delegate", { goal: "wait for a long time" })]),
    reply([
      say("I wait. "),
      callTool("terminal", { command: `echo $$ > ${file}.new && mv ${file}.new ${file}; exec sleep 600` }),
    ]),
  );
  const command = stage.begin(["run", "--json", "go"]);
  await written(file);
  const running = readIdentity(Number(readFileSync(file, "utf8")));
  command.child.kill("SIGKILL");
  await command.end;
  const session = field(command.lines[0], "session_id");
  const lines = (await stage.ask(["sessions", "export", session])).stdout
    .split("\n")
    .filter((line) => line !== "");
  const events = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(isRunning(running)).toBe(false);
  const complete = events.find(({ type }) => type === "subagent.complete");
  expect(complete).toMatchObject({ status: "interrupted", goal: "wait for a long time", tool_calls: 1 });
  expect(events.findLast(({ type }) => type === "turn.end")).toMatchObject({ outcome: "interrupted" });
  const child = (await stage.ask(["sessions", "export", String(complete?.["child_id"])])).stdout;
  expect(child).toContain("I wait. ");
  expect(child).toContain("outcome of this call is unknown");
});

async function written(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
}

const field = (line: string | undefined, name: string): string =>
  String((JSON.parse(line ?? "{}") as Readonly<Record<string, unknown>>)[name]);
