import { expect, test } from "vitest";
import { jobsApi } from "../../src/app/background/jobs-api.ts";
import { promptText } from "../../src/core/index.ts";
import { delegateTool } from "../../src/providers/tools/delegate.ts";
import { isJsonObject } from "../../src/shared/json/json.ts";
import { jobProcess } from "../automation/jobs/job-stage.ts";
import { Machine } from "../kit/machine.ts";
import { callTool, gate, say, scriptedModelWith, wait } from "../kit/scripted-model.ts";
import { toolsOf } from "../kit/test-host.ts";
import { type Stage, stageWith, wireEvents } from "./stage.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The keys that the public description of an API says are always there, with null when there is nothing. */
const EXPECTED = {
  error: words("error.param error.code"),
  chat: words("choices.message.refusal choices.logprobs choices.finish_reason"),
  response:
    words(`completed_at usage error incomplete_details instructions previous_response_id max_output_tokens
    max_tool_calls prompt_cache_key reasoning.effort reasoning.summary safety_identifier user`),
  items: words("first_id last_id"),
  model: words("parent"),
  health: words("platforms.api_server.error_code platforms.api_server.error_message exit_reason"),
  session: words("ended_at"),
  job: words(`skill model provider base_url provider_snapshot model_snapshot repeat.times paused_at paused_reason
    next_run_at last_run_at last_status last_error last_delivery_error origin enabled_toolsets workdir
    latest_execution`),
};

/** The objects around those keys, by the name under which an answer has them. */
const AROUND: Readonly<Record<string, keyof typeof EXPECTED>> = {
  "chat.completion": "chat",
  "chat.completion.chunk": "chat",
  response: "response",
  model: "model",
};

/** The paths of the nulls in a value, without the places in lists. */
function nullsIn(value: unknown, path = ""): readonly string[] {
  if (value === null) return [path];
  if (Array.isArray(value)) return value.flatMap((part: unknown) => nullsIn(part, path));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => nullsIn(part, path === "" ? key : `${path}.${key}`));
}

/** The nulls of an answer that nobody expects there. */
function unexpected(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(unexpected);
  if (!isJsonObject(value)) return [];
  const { object, session, job, jobs, data, response, ...rest } = value;
  const inner = [
    ...(response === undefined ? [] : unexpected(response)),
    ...without("session", session),
    ...(Array.isArray(data) && object === "list" ? data.flatMap((each) => without(kindOf(each), each)) : []),
    ...[job, ...[jobs].flat()].flatMap((each) => without("job", each)),
  ];
  return [...inner, ...without(kindOf(value), rest)];
}

function kindOf(value: unknown): keyof typeof EXPECTED | undefined {
  if (!isJsonObject(value)) return undefined;
  const { object, error, readiness, first_id, _lineage_root_id } = value;
  if (typeof object === "string" && object in AROUND) return AROUND[object];
  if (readiness !== undefined) return "health";
  if (first_id !== undefined) return "items";
  if (_lineage_root_id !== undefined) return "session";
  return isJsonObject(error) ? "error" : undefined;
}

const without = (kind: keyof typeof EXPECTED | undefined, value: unknown): readonly string[] =>
  nullsIn(value).filter((path) => kind === undefined || !EXPECTED[kind].includes(path));

/** An API that is used as its clients do; every answer is read for nulls, and every operation is called. */
class Walk {
  readonly problems: string[] = [];
  readonly called = new Set<string>();
  readonly #api: Stage;

  constructor(api: Stage) {
    this.#api = api;
  }

  /** Calls an operation, written as in the API's own description, with the ids that its path has. */
  async call(
    operation: string,
    body?: unknown,
    ids: readonly string[] = [],
  ): Promise<Readonly<Record<string, unknown>>> {
    const [method = "", path = ""] = operation.split(" ");
    const rest = [...ids];
    this.called.add(operation.split("?")[0] ?? "");
    const answer = await this.#api.ask(
      path.replaceAll(/\{\w+\}/g, () => rest.shift() ?? ""),
      body === undefined ? { method } : { method, body: JSON.stringify(body) },
    );
    const text = await answer.text();
    const type = answer.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream"))
      for (const { data } of wireEvents(text)) if (data !== "[DONE]") this.#look(operation, JSON.parse(data));
    if (!type.startsWith("application/json")) return {};
    const value: unknown = JSON.parse(text);
    this.#look(operation, value);
    return isJsonObject(value) ? value : {};
  }

  #look(operation: string, value: unknown): void {
    this.problems.push(...unexpected(value).map((path) => `${operation}: ${path}`));
  }
}

const idOf = (value: unknown): string => (isJsonObject(value) ? String(value["id"]) : "");

async function chats(walk: Walk): Promise<void> {
  const messages = [{ role: "user", content: "hi" }];
  for (const stream of [false, true]) {
    await walk.call("POST /v1/chat/completions", {
      messages,
      stream,
      stream_options: { include_usage: true },
    });
    await walk.call("POST /v1/responses", { input: "hi", stream, reasoning: { summary: "auto" } });
  }
  await walk.call("POST /v1/chat/completions", {});
  const image = {
    type: "input_image",
    image_url: "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==",
  };
  const input = [{ role: "user", content: [{ type: "input_text", text: "look" }, image] }];
  const id = idOf(await walk.call("POST /v1/responses", { input }));
  await walk.call("GET /v1/responses/{response_id}", undefined, [id]);
  await walk.call("GET /v1/responses/{response_id}/input_items", undefined, [id]);
  await walk.call(
    "GET /v1/responses/{response_id}/input_items?include[]=message.input_image.image_url",
    undefined,
    [id],
  );
  const later = idOf(await walk.call("POST /v1/responses", { input: "hi", background: true }));
  await walk.call("POST /v1/responses/{response_id}/cancel", undefined, [later]);
  await walk.call("DELETE /v1/responses/{response_id}", undefined, [later]);
}

async function conversations(walk: Walk): Promise<void> {
  const one = "/v1/conversations/{conversation_id}";
  const tools = [{ type: "function", name: "other" }];
  const items = [{ role: "user", content: "hi" }];
  const conversation = idOf(await walk.call("POST /v1/conversations", { items }));
  await walk.call(`POST ${one}`, { metadata: { a: "b" } }, [conversation]);
  for (const stream of [false, true])
    await walk.call("POST /v1/responses", { conversation, input: "delegate", tools, stream });
  const { data } = await walk.call(`POST ${one}/items`, { items }, [conversation]);
  const item = idOf(Array.isArray(data) ? data[0] : undefined);
  await walk.call(`GET ${one}`, undefined, [conversation]);
  await walk.call(`GET ${one}/items`, undefined, [conversation]);
  await walk.call(`GET ${one}/items/{item_id}`, undefined, [conversation, item]);
  await walk.call(`DELETE ${one}/items/{item_id}`, undefined, [conversation, item]);
  await walk.call("POST /v1/responses/input_tokens", { conversation, input: "hi" });
  await walk.call(`DELETE ${one}`, undefined, [conversation]);
}

async function runs(walk: Walk): Promise<void> {
  const start = async (input: string): Promise<string> =>
    String((await walk.call("POST /v1/runs", { input }))["run_id"]);
  const run = await start("delegate");
  await walk.call("GET /v1/runs/{run_id}/events", undefined, [run]);
  await walk.call("GET /v1/runs/{run_id}", undefined, [run]);
  const held = await start("wait");
  await walk.call("GET /v1/runs");
  await walk.call("POST /v1/runs/{run_id}/steer", { text: "faster" }, [held]);
  await walk.call("POST /v1/runs/{run_id}/approval", { choice: "once" }, [held]);
  await walk.call("POST /v1/runs/{run_id}/stop", undefined, [held]);
}

async function sessions(walk: Walk): Promise<void> {
  const one = "/api/sessions/{session_id}";
  const { session } = await walk.call("POST /api/sessions", {});
  const id = idOf(session);
  await walk.call(`POST ${one}/chat`, { message: "hi" }, [id]);
  await walk.call(`POST ${one}/chat/stream`, { message: "delegate" }, [id]);
  await walk.call(`GET ${one}`, undefined, [id]);
  await walk.call(`GET ${one}/messages`, undefined, [id]);
  await walk.call(`POST ${one}/fork`, {}, [id]);
  await walk.call(`GET ${one}/questions`, undefined, [id]);
  await walk.call(`POST ${one}/answer`, { choice: "once" }, [id]);
  await walk.call(`POST ${one}/stop`, undefined, [id]);
  await walk.call(`GET ${one}/checkpoints`, undefined, [id]);
  await walk.call(`GET ${one}/checkpoints/{turn}/diff`, undefined, [id, "1"]);
  await walk.call(`POST ${one}/rewind`, { turn: 1, preview: true }, [id]);
  await walk.call(`POST ${one}/rewind`, { turn: 2 }, [id]);
  await walk.call("GET /api/sessions?include_children=true");
  await walk.call("GET /api/personas");
  await walk.call(`PATCH ${one}`, { title: "a", end_reason: "done" }, [id]);
  await walk.call(`PATCH ${one}`, { title: null }, [id]);
  await walk.call(`DELETE ${one}`, undefined, [id]);
}

async function jobs(walk: Walk, settle: () => Promise<void>): Promise<void> {
  const one = "/api/jobs/{job_id}";
  const draft = { schedule: "every 2h", prompt: "hi" };
  const { job } = await walk.call("POST /api/jobs", draft);
  await walk.call("POST /api/jobs", { ...draft, budget: { tokens: 9 } });
  const ids = [idOf(job)];
  await walk.call("GET /api/jobs");
  await walk.call(`POST ${one}/run`, {}, ids);
  await walk.call("GET /api/jobs");
  await settle();
  await walk.call("GET /api/jobs");
  await walk.call(`GET ${one}`, undefined, ids);
  await walk.call(`PATCH ${one}`, { name: "n" }, ids);
  for (const action of ["pause", "resume"]) await walk.call(`POST ${one}/${action}`, undefined, ids);
  await walk.call(`DELETE ${one}`, undefined, ids);
}

test("no answer of the API has a null but in the keys that public descriptions require", async () => {
  const held = gate();
  const models = scriptedModelWith({
    otherwise({ messages }) {
      const [first] = messages;
      const text = first?.role === "user" ? promptText(first.parts) : "";
      if (text === "wait") return [wait(held), say("late")];
      const isFirst = messages.length === 1 || messages.at(-1)?.role === "user";
      const last = messages.findLast(({ role }) => role === "user");
      const asked = last?.role === "user" ? promptText(last.parts) : "";
      return isFirst && asked === "delegate"
        ? [callTool("delegate", { tasks: [{ goal: "a" }] })]
        : [say("ok")];
    },
  });
  const process = await jobProcess(new Machine(), models);
  const toolsets = toolsOf(delegateTool({ stopProcesses: () => Promise.resolve(0) }));
  await using api = await stageWith(models, {
    jobs: jobsApi(process),
    host: { toolsets },
    settings: { reasoning: true },
  });
  const walk = new Walk(api);
  const plain = words(`/health /v1/health /health/detailed /metrics /v1/models /v1/capabilities /v1/skills
    /v1/toolsets /v1/openapi.json`);
  for (const path of plain) await walk.call(`GET ${path}`);
  await walk.call("GET /v1/models/{model}", undefined, ["agent"]);
  await walk.call("GET /v1/models/{model}", undefined, ["nosuch"]);
  await chats(walk);
  await conversations(walk);
  await runs(walk);
  held.open();
  await sessions(walk);
  await jobs(walk, () => process.settle());
  expect([...new Set(walk.problems)]).toEqual([]);
  const { paths } = (await (await api.ask("/v1/openapi.json")).json()) as { readonly paths: object };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...walk.called].toSorted()).toEqual(described.toSorted());
});
