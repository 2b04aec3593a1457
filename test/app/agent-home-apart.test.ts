import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, reply, startModelServer } from "../kit/model-server/index.ts";

test("the home of an agent that lies in the workspace, under a name of its own, is out of reach in every mode", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  const home = join(stage.workspace, "state");
  mkdirSync(home, { mode: 0o700 });
  // The environment names it by a link; what counts is where it is.
  symlinkSync(home, join(stage.folder, "named"));
  stage.env["AGENT_HOME"] = join(stage.folder, "named");
  const config = `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: m\napprovals:\n  mode: "off"\n`;
  writeFileSync(join(home, "config.yaml"), config);
  writeFileSync(join(home, "AGENTS.md"), "canary\n");
  symlinkSync("state/AGENTS.md", join(stage.workspace, "AGENTS.md"));
  linkSync(join(home, "config.yaml"), join(stage.workspace, "innocent.yaml"));
  const path = "state/config.yaml";
  server.script(
    reply([
      callTool("read_file", { path }),
      callTool("read_file", { path: "innocent.yaml" }),
      callTool("search_files", { pattern: "approvals" }),
      callTool("search_files", { pattern: "approvals", path: "state" }),
      callTool("list_files", {}),
      callTool("write_file", { path, content: "approvals: {}\n" }),
      callTool("write_file", { path: "state/skills/x/SKILL.md", content: "x" }),
      callTool("terminal", { command: "ls", cwd: "state" }),
    ]),
    reply("Done."),
  );
  expect((await stage.ask(["run", "go"])).code).toBe(0);
  expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe(config);
  const seen = JSON.stringify(server.requests);
  const results = server.requests.map((request) =>
    JSON.stringify(request.body).split("belongs to the agent itself"),
  );
  expect(Math.max(...results.map((parts) => parts.length - 1))).toBe(6);
  expect(seen).not.toContain("base_url");
  expect(seen).not.toContain("state.db");
  expect(seen).not.toContain("canary");
});
