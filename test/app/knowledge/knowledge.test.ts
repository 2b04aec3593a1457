import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { GatewayClient, webSocket } from "../../../src/rpc/client/index.ts";
import { CommandStage, OPEN, type RunningCommand } from "../../kit/command.ts";
import { callTool, field, reply, startModelServer } from "../../kit/model-server/index.ts";

const KEY = "a-good-long-key-0123";

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A home with a skill and something to remember, and a workspace with a skill and words to agents. */
function furnish(stage: CommandStage): void {
  const { home, workspace } = stage;
  stage.trust();
  put(
    join(home, "skills/dev/review/SKILL.md"),
    "---\nname: review\ndescription: Reviews\n---\nLook closely.\n",
  );
  put(join(home, "skills/broken/SKILL.md"), "---\nname: {\n---\nBroken words.\n");
  put(join(home, "memories/USER.md"), "- Likes tea\n");
  put(join(workspace, ".agent/skills/deploy/SKILL.md"), "---\ndescription: Ships it\n---\nShip.\n");
  put(join(workspace, "AGENTS.md"), "Use tabs.\n");
}

async function gateway(
  stage: CommandStage,
): Promise<{ readonly command: RunningCommand; readonly url: string }> {
  Object.assign(stage.env, { API_SERVER_ENABLED: "true", API_SERVER_KEY: KEY, API_SERVER_PORT: "0" });
  const command = stage.start(["gateway"]);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = "";
  command.child.stderr.on("data", (text: string) => {
    said += text;
    const found = /API server on (http:\S+)\/v1/.exec(said)?.[1];
    if (found !== undefined) resolve(found);
  });
  void command.end.then(({ stderr }) => reject(new Error(stderr)));
  return { command, url: await promise };
}

describe("a gateway's home and workspace", () => {
  test("show in the prompt, at /v1/skills and in the gateway's catalogue, and memory keeps to its key", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    furnish(stage);
    stage.configure(`model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n`);
    const { url } = await gateway(stage);
    const headers = { authorization: `Bearer ${KEY}` };
    expect(await (await fetch(`${url}/v1/skills`, { headers })).json()).toMatchObject([
      { name: "broken", description: "Broken words.", category: "general", enabled: true },
      { name: "deploy", description: "Ships it", category: "general", source: "workspace" },
      { name: "review", description: "Reviews", category: "dev", source: "home" },
    ]);

    const ask = async (key: string | undefined): Promise<void> => {
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { ...headers, ...(key === undefined ? {} : { "x-agent-session-key": key }) },
        body: JSON.stringify({ messages: [{ role: "user", content: "hi" }] }),
      });
      expect(answer.status).toBe(200);
      await answer.text();
    };
    server.script(reply("one"));
    await ask(undefined);
    const owner = systemOf((await server.request(1)).body);
    for (const words of ["- review (dev): Reviews", "- deploy: Ships it", "Use tabs.", "- Likes tea"])
      expect(owner).toContain(words);
    server.script(reply([callTool("memory", { action: "add", content: "Has a cat" })]), reply("two"));
    await ask("ann");
    server.script(reply("three"), reply("four"));
    await ask("ann");
    await ask("ben");
    const [, , , ann, ben] = server.requests.map(({ body }) => systemOf(body));
    expect(ann).toContain("- Has a cat");
    expect(ann).not.toContain("Likes tea");
    expect(ben).not.toContain("Has a cat");
    expect(readFileSync(join(stage.home, "memories/USER.md"), "utf8")).toBe("- Likes tea\n");

    const connect = webSocket(`${url.replace("http", "ws")}/api/ws`, { token: KEY });
    await using client = new GatewayClient({ connect, reconnect: false });
    const catalog = await client.request("commands.catalog", {});
    expect(catalog).toMatchObject({ skill_count: 3, warning: expect.stringContaining("broken/SKILL.md") });
    expect(catalog.pairs).toContainEqual(["/review", "Reviews [request]"]);
    expect(catalog.canon["/review"]).toBeUndefined();
    const { session_id, info } = await client.request("session.create", {});
    expect(info.skills).toEqual({ dev: ["review"], general: ["broken", "deploy"] });
    const other = mkdtempSync(join(stage.folder, "other-"));
    put(join(other, ".agent/skills/elsewhere/SKILL.md"), "---\ndescription: There\n---\n");
    const there = await client.request("session.create", { cwd: other });
    const theirs = { session_id: there.session_id };
    expect((await client.request("commands.catalog", theirs)).skills).toHaveProperty("elsewhere");
    expect((await client.request("complete.slash", { text: "/else", ...theirs })).items).toHaveLength(1);
    expect((await client.request("complete.slash", { text: "/else" })).items).toEqual([]);
    const dispatched = await client.request("command.dispatch", { command: "/review a.ts", session_id });
    expect(dispatched).toMatchObject({
      type: "skill",
      name: "review",
      message: 'Use the skill review: a.ts\n\n<skill name="review">\nLook closely.\n</skill>',
    });
    expect(await client.request("skills.manage", { action: "search", query: "SHIP" })).toMatchObject({
      results: [{ name: "deploy", source: "workspace", enabled: true }],
    });
    const { info: shown } = await client.request("skills.manage", { action: "inspect", query: "review" });
    expect(shown).toMatchObject({ name: "review", body: "Look closely.", files: [] });
    await client.request("skills.manage", { action: "disable", query: "Review" });
    expect(readFileSync(join(stage.home, "config.yaml"), "utf8")).toContain("- review");
    await expect(client.request("skills.manage", { action: "inspect", query: "review" })).rejects.toThrow(
      "switched off",
    );
    await client.request("slash.exec", { command: "skills enable review", session_id });
    expect(readFileSync(join(stage.home, "config.yaml"), "utf8")).not.toContain("review");
    put(join(stage.home, "skills/broken/SKILL.md"), "---\ndescription: Mended\n---\n");
    expect(await client.request("skills.reload", {})).toEqual({
      output: "3 skills.",
      result: { count: 3, warnings: [] },
    });
    const prompt = await client.request("slash.exec", { command: "prompt", session_id });
    expect(prompt.output).toContain("- review (dev): Reviews");
  });
});

test("an editor is told of the commands of skills, those of its own folder too", async () => {
  await using stage = new CommandStage();
  furnish(stage);
  const command = stage.begin(["acp"], { stdin: OPEN });
  const send = (id: number, method: string, params: object): void =>
    void command.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  send(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  send(2, "session/new", { cwd: stage.workspace, mcpServers: [] });
  const line = await command.line((text) => text.includes("available_commands_update"));
  for (const name of ["review", "deploy", "skills", "prompt"]) expect(line).toContain(`"name":"${name}"`);
});

test("agent skills lists them, warns of broken files on stderr, and shows one", async () => {
  await using stage = new CommandStage();
  furnish(stage);
  stage.configure("skills:\n  disabled: [broken]\n");
  const list = await stage.ask(["skills"]);
  expect(list.code).toBe(0);
  expect(list.stdout).toBe(
    "broken  Broken words. (general, off)\ndeploy  Ships it (general, workspace)\nreview  Reviews (dev)\n",
  );
  expect(list.stderr).toMatch(/^agent: .*broken\/SKILL\.md: the front matter cannot be used: .*\n$/);
  const show = await stage.ask(["skills", "show", "review", "--json"]);
  expect(JSON.parse(show.stdout)).toMatchObject({ name: "review", body: "Look closely.", files: [] });
  expect((await stage.ask(["skills", "enable", "broken"])).stdout).toBe("The skill broken is on.\n");
  expect((await stage.ask(["skills", "disable", "broken"])).stdout).toBe("The skill broken is off.\n");
  const checks = await stage.ask(["doctor", "--json"]);
  expect(JSON.parse(checks.stdout)).toContainEqual({
    name: "skills",
    ok: true,
    text: expect.stringMatching(/^3 skills; .*broken\/SKILL\.md/),
  });
  const none = await stage.ask(["skills", "show", "broken"]);
  expect(none).toMatchObject({
    code: 1,
    stderr: "agent: The skill broken is switched off (skills.disabled).\n",
  });
});

/** The system message of a request in the chat dialect. */
function systemOf(body: unknown): string {
  const messages = field(body, "messages");
  return Array.isArray(messages) ? String(field(messages[0], "content")) : "";
}
