import { expect, test } from "vitest";
import { secretCheck } from "../../src/shared/crypto/secret-check.ts";
import { SocketGateway } from "../../src/rpc/index.ts";
import { callTool, say, scriptedModel } from "../kit/scripted-model.ts";
import { testTool, toolsOf } from "../kit/test-host.ts";
import { type BareSocket, bareSocket } from "./bare-socket.ts";
import { GatewayStage } from "./gateway-stage.ts";
import { NewerClient } from "./newer-client.ts";

const TOKEN = "a-token-of-the-test";

interface Server extends AsyncDisposable {
  readonly stage: GatewayStage;
  readonly connect: () => Promise<BareSocket>;
}

async function server(): Promise<Server> {
  const change = testTool("change", { effect: "once" });
  const model = scriptedModel(
    [say("Let me. "), callTool("change", { path: "a" })],
    [say("Done.")],
    [say("Again.")],
  );
  const stage = await GatewayStage.open(model, { toolsets: toolsOf(change) });
  const socket = new SocketGateway((wire) => stage.gateway.accept(wire), {
    admission: { isCredential: secretCheck(TOKEN) },
  });
  const listener = await socket.listen({ host: "127.0.0.1", port: 0 });
  return {
    stage,
    connect: () => bareSocket(`${listener.url}?token=${TOKEN}`),
    async [Symbol.asyncDispose]() {
      stage.gateway.close();
      socket.close();
      await listener.close();
      await stage[Symbol.asyncDispose]();
    },
  };
}

/** What the older client reads of a session before it shows it: without these it fails. */
const LAZY_INFO = { model: expect.any(String), tools: expect.any(Object), skills: expect.any(Object) };

test("the older client starts, chats, approves, lists, resumes and leaves", async () => {
  await using served = await server();
  await using client = await served.connect();
  // What it sends by itself, in its order, each id a string that counts up.
  expect(await client.call("pet.cells", { graphics: false, state: "idle" })).toEqual({ enabled: false });
  expect(await client.call("config.get", { key: "full" })).toEqual({ config: {} });
  const catalog = await client.call("commands.catalog", {});
  expect(catalog.pairs).toContainEqual(["/model", expect.any(String)]);
  expect(catalog.canon).toMatchObject({ "/q": "/queue", "/model": "/model" });
  expect(await client.call("setup.status", {})).toMatchObject({ provider_configured: true });
  const created = await client.call("session.create", { cols: 120 });
  const id: string = created.session_id;
  expect(created.info).toMatchObject(LAZY_INFO);
  // This event turns its "starting agent…" into "ready": it waits for a version.
  const ready = await client.event("session.info");
  expect(ready.payload).toMatchObject({
    ...LAZY_INFO,
    version: expect.any(String),
    usage: expect.any(Object),
  });
  expect(await client.call("config.get", { key: "mtime" })).toEqual({ mtime: 0 });
  expect(await client.call("session.active_list", { current_session_id: id })).toMatchObject({
    sessions: [{ id, session_key: id, current: true, status: "idle" }],
  });
  expect(await client.call("terminal.resize", { session_id: id, cols: 100 })).toEqual({ cols: 100 });
  expect(await client.call("complete.slash", { text: "/mo" })).toEqual({
    items: [{ text: "model", display: "/model", meta: expect.any(String) }],
    replace_from: 1,
  });
  expect(await client.call("input.detect_drop", { session_id: id, text: "change it" })).toEqual({
    matched: false,
  });
  await client.call("prompt.submit", { session_id: id, text: "change it" });
  const approval = await client.event("approval.request");
  expect(approval.payload).toMatchObject({
    command: expect.any(String),
    description: expect.any(String),
    pattern_key: expect.any(String),
    pattern_keys: expect.any(Array),
    allow_permanent: expect.any(Boolean),
    choices: expect.arrayContaining(["once", "deny"]),
  });
  expect(await client.call("session.active_list", {})).toMatchObject({ sessions: [{ status: "waiting" }] });
  // It knows no ids of requests.
  expect(await client.call("approval.respond", { session_id: id, choice: "once" })).toEqual({ resolved: 1 });
  await client.ended(id);
  const tool = await client.event("tool.complete");
  expect(tool.payload).toMatchObject({
    tool_id: expect.any(String),
    name: "change",
    args: { path: "a" },
    result: "change ran",
  });
  expect((await client.event("message.complete")).payload).toMatchObject({
    text: client.text(id),
    status: "complete",
    usage: { calls: 2, input: 0, output: 0, total: 0 },
  });
  expect(await client.call("session.history", { session_id: id })).toMatchObject({
    messages: [
      { role: "user", text: "change it" },
      { role: "assistant", text: "Let me. " },
      { role: "tool", name: "change", context: "change" },
      { role: "assistant", text: "Done." },
    ],
  });
  const listed = await client.call("session.list", { limit: 10 });
  expect(listed.sessions).toMatchObject([{ id, source: "tui", message_count: expect.any(Number) }]);
  expect(await client.call("session.title", { session_id: id, title: "Mine" })).toMatchObject({
    title: "Mine",
  });
  const fresh = await client.call("session.create", { cols: 120 });
  const resumed = await client.call("session.resume", { session_id: "Mine", cols: 120 });
  expect(resumed).toMatchObject({
    session_id: id,
    resumed: id,
    running: false,
    inflight: null,
    message_count: expect.any(Number),
  });
  expect(await client.call("session.close", { session_id: fresh.session_id })).toEqual({ closed: true });
  expect(await client.call("session.close", { session_id: fresh.session_id })).toEqual({ closed: false });
  expect((await client.ask("session.close", { session_id: "never" })).error?.code).toBe(4001);
  expect((await client.ask("session.resume", { session_id: "never" })).error?.code).toBe(4007);
  expect((await client.ask("session.usage", { session_id: "never" })).error?.code).toBe(4001);
  expect(await client.call("session.delete", { session_id: fresh.session_id })).toEqual({
    deleted: fresh.session_id,
  });
});

test("the newer client gets requests, pings, reconnects and replays", async () => {
  await using served = await server();
  await using first = await served.connect();
  const { payload } = await first.event("gateway.ready");
  expect(payload).toMatchObject({
    heartbeat: true,
    change_events: true,
    replay_epoch: expect.any(String),
    shared_session: { version: 1, socket_id: expect.any(String) },
  });
  await first.call("client.capabilities", { server_requests: true, client_id: "window-1" });
  expect(await first.call("gateway.ping", {})).toMatchObject({ ok: true });
  const { session_id: id } = await first.call("session.create", {});
  await first.call("prompt.submit", { session_id: id, text: "change it", submission_ref: "ref-1" });
  const request = await first.frame(({ method }) => method === "approval");
  expect(request).toMatchObject({
    params: { session_id: id, tool_name: "change", choices: expect.any(Array) },
  });
  const last_seen = Math.max(...first.events.map(({ session_id, seq = 0 }) => (session_id === id ? seq : 0)));
  const before = first.text(id);
  first.socket.terminate();

  await using second = await served.connect();
  await second.call("client.capabilities", { server_requests: true, client_id: "window-1" });
  const since = await second.call("session.events.since", { session_id: id, last_seen });
  expect(since).toMatchObject({
    truncated: false,
    epoch: payload.replay_epoch,
    open_requests: [{ id: request["id"], method: "approval" }],
  });
  const resumed = await second.call("session.resume", { session_id: id, last_seen, omit_messages: true });
  expect(resumed).toMatchObject({
    messages_omitted: true,
    messages: [],
    open_requests: [{ id: request["id"] }],
  });
  const again = await second.frame(({ method }) => method === "approval");
  expect(again["id"]).toBe(request["id"]);
  second.send({ jsonrpc: "2.0", id: again["id"], result: { choice: "once" } });
  await second.event("message.complete");
  expect(before + second.text(id)).toBe("Let me. \n\nDone.");
  const seqs = second.events.flatMap(({ session_id, seq }) =>
    session_id === id && seq !== undefined ? [seq] : [],
  );
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
});

test("the newer client's rule, to drop what is not newer than the last, loses and repeats nothing", async () => {
  await using served = await server();
  await using first = await served.connect();
  const { session_id: id } = await first.call("session.create", {});
  await first.call("prompt.submit", { session_id: id, text: "change it" });
  await first.event("approval.request");
  const shown = new NewerClient();
  // It broke off after the first of two events that are one row of the log.
  const begin = first.events.findIndex(({ type }) => type === "message.start");
  for (const event of first.events.slice(0, begin + 1)) shown.live(event);
  first.socket.terminate();

  await using second = await served.connect();
  const since = await second.call("session.events.since", {
    session_id: id,
    last_seen: shown.lastSeen(id),
  });
  await second.call("session.activate", { session_id: id });
  await second.call("approval.respond", { session_id: id, choice: "once" });
  await second.ended(id);
  for (const event of since.events) shown.ifNewer(event);
  for (const event of second.events) shown.ifNewer(event);
  expect(shown.types(["message.start", "tool.start", "approval.request", "tool.complete"])).toEqual([
    "message.start",
    "tool.start",
    "approval.request",
    // An open question is shown again to whoever comes.
    "approval.request",
    "tool.complete",
  ]);
  expect(shown.text()).toBe("Let me. \n\nDone.");
});
