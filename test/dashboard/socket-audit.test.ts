import { expect, test } from "vitest";
import { GatewayClient, webSocket } from "../../src/rpc/client/index.ts";
import type { QuestionHandlers } from "../../src/rpc/client/server-requests.ts";
import { writingModel } from "../chat/kit/writing-model.ts";
import { CommandStage } from "../kit/command.ts";
import { operatorAt } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

interface Entry {
  readonly who: string;
  readonly from: string;
  readonly action: string;
  readonly subject?: string;
  readonly after?: unknown;
}

/** A dashboard whose operator has a gateway client, as its pages do. */
async function socketStage(questions: QuestionHandlers = {}) {
  const model = await writingModel();
  const stage = new CommandStage();
  stage.configure(
    `model: {provider: local, base_url: "${model.baseUrl}", default: m}\napprovals: {mode: manual}\n`,
  );
  stage.trust();
  const { origin, href } = new URL(await startDashboard(stage));
  const operator = await operatorAt(href);
  const client = new GatewayClient({
    connect: webSocket(`${origin.replace("http", "ws")}/dashboard/api/ws`, {
      headers: { cookie: operator.cookie, origin },
    }),
    questions,
  });
  return {
    client,
    workspace: stage.workspace,
    /** What was noted since the sign-in, the oldest first. */
    async noted(): Promise<readonly Entry[]> {
      const { data } = (await (await operator.get("/audit")).json()) as { data: readonly Entry[] };
      return data.toReversed().slice(1);
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await stage[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

test("what an operator changes over the pages' WebSocket is in the audit log, and what is only looked at is not", async () => {
  await using stage = await socketStage();
  const { client } = stage;
  const { session_id } = await client.request("session.create", {});
  await client.request("session.title", { session_id, title: "Hush-hush" });
  await client.request("session.title", { session_id });
  await client.request("session.list", {});
  await client.request("config.get", { key: "full" });
  await client.request("config.set", { key: "approvals.mode", value: "off" });
  await client.request("config.set", { key: "prompt", value: "Hush-hush" });
  await client.request("slash.exec", { command: "/title Hush-hush", session_id });
  await client.request("skills.manage", { action: "list" });
  await client.request("session.delete", { session_id });
  await expect(client.request("session.delete", { session_id })).rejects.toThrow(session_id);
  const noted = await stage.noted();
  expect(noted.map(({ action, subject, after }) => [action, subject, after])).toEqual([
    ["session.create", session_id, undefined],
    ["session.title", session_id, undefined],
    ["config.set", "approvals.mode", { value: "off" }],
    ["config.set", "prompt", {}],
    ["slash.exec", "/title", { session: session_id }],
    ["session.delete", session_id, undefined],
  ]);
  expect(noted.every(({ who, from }) => who === "operator" && from === "127.0.0.1")).toBe(true);
  expect(JSON.stringify(noted)).not.toMatch(/hush/i);
});

test("pages run no programs of the machine, and who tries that is in the audit log", async () => {
  await using stage = await socketStage();
  const { client } = stage;
  await expect(client.request("cli.exec", { argv: ["users", "list"] })).rejects.toThrow(/off here/);
  await expect(client.request("shell.exec", { command: "ls" })).rejects.toThrow(/off here/);
  expect((await stage.noted()).map(({ action }) => action)).toEqual([
    "cli.exec.refused",
    "shell.exec.refused",
  ]);
});

test.each([
  { how: "a request", asEvent: true },
  { how: "a response to the host's own request", asEvent: false },
])("an approval that an operator gives by $how is in the audit log", async ({ asEvent }) => {
  const approval = () => Promise.resolve({ choice: "once" } as const);
  await using stage = await socketStage(asEvent ? {} : { approval });
  const { client, workspace: cwd } = stage;
  const { session_id } = await client.request("session.create", { cwd });
  const ended = Promise.withResolvers<void>();
  client.subscribe((event) => {
    if (event.type === "message.complete") ended.resolve();
    if (event.type !== "approval.request" || !asEvent) return;
    void client.request("approval.respond", { session_id, choice: "once" }).catch(ended.reject);
  });
  await client.request("prompt.submit", { session_id, text: "write one.txt" });
  await ended.promise;
  const entry = { action: "approval.respond", subject: session_id, after: { choice: "once" } };
  await expect.poll(() => stage.noted()).toContainEqual(expect.objectContaining(entry));
  const actions = (await stage.noted()).map(({ action }) => action);
  expect(actions.toSorted()).toEqual(["approval.respond", "prompt.submit", "session.create"]);
});
