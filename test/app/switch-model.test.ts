import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, reply, say, startModelServer, think } from "../kit/model-server/index.ts";
import { chatProblems } from "../kit/chat-validator.ts";
import { messagesProblems } from "../kit/messages-validator.ts";
import { responsesProblems } from "../kit/responses-validator.ts";

test("a session goes on through models of all three dialects, with its tools and all that was said", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  const entry = (kind: string, rest: string): string =>
    `{kind: ${kind}, base_url: "${server.baseUrl}", api_key: test-key-0123456789, ${rest}}`;
  stage.configure(`model:
  provider: thinker
  providers:
    thinker: ${entry("openai", "api_mode: responses_api, default: gpt-5.1")}
    writer: ${entry("messages", "default: claude-sonnet-4-5")}
    chatter: ${entry("openai", "default: gpt-4o")}
`);
  const look = (): ReturnType<typeof reply> =>
    reply([think("I look."), say("Looking."), callTool("list_files", { path: "." })]);
  const judges = {
    "/v1/responses": responsesProblems,
    "/v1/messages": messagesProblems,
    "/v1/chat/completions": chatProblems,
  };
  const said: string[] = [];
  for (const model of ["thinker", "writer", "chatter", "thinker"]) {
    server.script(look(), reply(`Answer ${said.length} of ${model}.`));
    const session = said.length === 0 ? [] : ["--session", await onlySession(stage)];
    const { code, stdout, stderr } = await stage.ask([
      "run",
      "-m",
      `${model}:`,
      ...session,
      `question ${said.length}`,
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Answer ${said.length} of ${model}.`);
    said.push(`question ${said.length}`, `Answer ${said.length} of ${model}.`);
  }
  expect(server.requests).toHaveLength(8);
  for (const { path, body } of server.requests) {
    const judge = Object.entries(judges).find(([each]) => each === path)?.[1];
    expect(judge?.(body), path).toEqual([]);
  }
  const last = server.requests.at(-1)?.text ?? "";
  for (const text of said.slice(0, -1)) expect(last).toContain(text);
  // Its own reasoning of the first turn is there again, nobody else's is.
  expect(last.match(/"encrypted_content"/g)).toHaveLength(2);
  expect(last).not.toContain("signature");
});

async function onlySession(stage: CommandStage): Promise<string> {
  const { stdout } = await stage.ask(["sessions", "list", "--json"]);
  const [{ id = "" } = {}] = JSON.parse(stdout) as { id?: string }[];
  return id;
}
