import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { callTool, reply, startModelServer } from "../../kit/model-server/index.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

test("a file that the prompt of `agent run` names goes along; one that piped text names does not", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(reply("Read."), reply("Read."));
  stage.configure(config(server.baseUrl));
  writeFileSync(join(stage.workspace, "notes.md"), "The password is swordfish.");
  await stage.ask(["run", "sum up @notes.md", "-"], { stdin: "nothing" });
  await stage.ask(["run", "sum up", "-"], { stdin: "see @notes.md" });
  const [named, piped] = server.requests.map(({ body }) => JSON.stringify(body));
  expect(named).toContain("swordfish");
  expect(piped).not.toContain("swordfish");
});

test("a key of the person's that lies elsewhere is not put into a prompt that names it", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(reply("No."));
  stage.configure(config(server.baseUrl));
  mkdirSync(join(stage.folder, ".ssh"));
  writeFileSync(join(stage.folder, ".ssh", "id_rsa"), "BEGIN KEY");
  await stage.ask(["run", `what is in @${join(stage.folder, ".ssh", "id_rsa")}?`]);
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain("BEGIN KEY");
});

test("--mode plan changes nothing, and where nobody can accept the plan it is the answer", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(
    reply([callTool("write_file", { path: "a.txt", content: "a" })]),
    reply([callTool("present_plan", { plan: "Write a.txt" })]),
    reply("The plan: write a.txt."),
  );
  stage.configure(config(server.baseUrl));
  const end = await stage.ask(["run", "--mode", "plan", "write a"]);
  expect(end.stdout).toBe("The plan: write a.txt.\n");
  expect(JSON.stringify(server.requests[1]?.body)).toContain("plan mode, which only reads");
  expect(JSON.stringify(server.requests[2]?.body)).toContain("Nobody could accept the plan");
});
