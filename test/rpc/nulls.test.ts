import { expect, test } from "vitest";
import { isJsonObject } from "../../src/shared/json/json.ts";
import { openRpcDocument } from "../../src/rpc/index.ts";
import { askingTool } from "../kit/asking-tool.ts";
import { callTool, say, scriptedModel } from "../kit/scripted-model.ts";
import { toolsOf } from "../kit/test-host.ts";
import { GatewayStage } from "./gateway-stage.ts";

/** The keys that public clients of this protocol expect in every message, with null when there is nothing. */
const EXPECTED = [
  "Clarify.choices",
  "SessionInfo.update_behind",
  "Subagent.model",
  "Subagent.parent_id",
  "session.activate.inflight",
  "session.compress.summary.note",
  "session.create.inflight",
  "session.most_recent.session_id",
  "session.resume.inflight",
  "spawn_tree.list.entries.started_at",
  "spawn_tree.load.started_at",
  "tools.configure.info",
];

interface Found {
  readonly path: string;
  readonly required: boolean;
}

/** The keys below a schema that may be null, by their path. */
function nullable(schema: unknown, path: string): readonly Found[] {
  if (Array.isArray(schema)) return schema.flatMap((part: unknown) => nullable(part, path));
  if (!isJsonObject(schema)) return [];
  const { properties, required, ...rest } = schema;
  const keys = isJsonObject(properties) ? Object.entries(properties) : [];
  const needed = new Set(Array.isArray(required) ? required : []);
  return [
    ...keys.flatMap(([key, part]) => [
      ...(mayBeNull(part) ? [{ path: `${path}.${key}`, required: needed.has(key) }] : []),
      ...nullable(part, `${path}.${key}`),
    ]),
    ...Object.values(rest).flatMap((part) => nullable(part, path)),
  ];
}

function mayBeNull(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  const { type, anyOf, oneOf } = schema;
  if ([type].flat().includes("null")) return true;
  return [anyOf, oneOf].flat().some(mayBeNull);
}

test("no key of the gateway's messages is null but those that public clients expect to be there", () => {
  const document = openRpcDocument("0");
  const { methods, components } = document as unknown as {
    readonly methods: readonly { readonly name: string; readonly result: unknown }[];
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
  const requests = document["x-server-requests"] as readonly { readonly params: unknown }[];
  const found = [
    ...methods.flatMap(({ name, result }) => nullable(result, name)),
    ...Object.entries(components.schemas).flatMap(([name, shape]) => nullable(shape, name)),
    ...nullable(document["x-events"], "event"),
    ...requests.flatMap(({ params }) => nullable(params, "request")),
  ];
  expect([...new Set(found.map(({ path }) => path))].toSorted()).toEqual(EXPECTED);
  expect(found.filter(({ required }) => !required)).toEqual([]);
});

test("a question with nothing to choose from has null choices as an event, and none as a request", async () => {
  const model = scriptedModel([callTool("ask")], [say("done")]);
  const ask = askingTool({ kind: "clarify", question: "Which?", choices: [] }, []);
  await using stage = await GatewayStage.open(model, { toolsets: toolsOf(ask) });
  const newer = await stage.client();
  await newer.call("client.capabilities", { server_requests: true });
  const { session_id: id } = await newer.call("session.create", {});
  const older = await stage.client();
  await older.call("session.resume", { session_id: id });
  await newer.call("prompt.submit", { session_id: id, text: "go" });
  const { params } = await newer.frame(({ method }) => method === "clarify");
  expect(params).toMatchObject({ question: "Which?", questions: [{ question: "Which?" }] });
  expect(JSON.stringify(params)).not.toContain("choices");
  const { payload } = await older.event("clarify.request");
  expect(payload).toMatchObject({ question: "Which?", choices: null });
  await older.call("clarify.respond", { request_id: payload.request_id, answer: "that" });
  await newer.ended(id);
});
