import { expect, test } from "vitest";
import { GatewayClient, GatewayError, inProcess, spawned } from "../../src/rpc/client/index.ts";
import { handClock } from "../kit/clock.ts";
import { CommandStage } from "../kit/command.ts";
import { callTool, gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { testTool, toolsOf, untilTrue } from "../kit/test-host.ts";
import { GatewayStage } from "./gateway-stage.ts";

const connectTo = ({ gateway }: GatewayStage) => inProcess((wire) => gateway.accept(wire));

test("a client in the same process creates, prompts and reads", async () => {
  await using stage = await GatewayStage.open(scriptedModel([say("Hello.")]));
  await using client = new GatewayClient({ connect: connectTo(stage) });
  expect(await client.ready).toMatchObject({ version: "1.2.3" });
  const events = client.events();
  const { session_id } = await client.request("session.create", {});
  await client.request("prompt.submit", { session_id, text: "hi" });
  let text = "";
  for await (const event of events) {
    if (event.type === "message.delta") text += event.payload.text;
    if (event.type === "message.complete") break;
  }
  expect(text).toBe("Hello.");
});

test("an error of the gateway is an error with its number and words", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  await using client = new GatewayClient({ connect: connectTo(stage) });
  const asking = client.request("session.resume", { session_id: "never" });
  await expect(asking).rejects.toBeInstanceOf(GatewayError);
  await expect(asking).rejects.toMatchObject({ code: 4007, data: { code: "session_not_found" } });
});

test("a client with handlers answers questions as requests", async () => {
  const ran: string[] = [];
  const change = testTool("change", {
    effect: "once",
    run: () => Promise.resolve(String(ran.push("change"))),
  });
  const models = scriptedModel([callTool("change")], [say("ok")]);
  await using stage = await GatewayStage.open(models, { toolsets: toolsOf(change) });
  const asked: string[] = [];
  await using client = new GatewayClient({
    connect: connectTo(stage),
    questions: {
      approval: ({ tool_name }) => {
        asked.push(tool_name);
        return Promise.resolve({ choice: "once" });
      },
    },
  });
  const { session_id } = await client.request("session.create", {});
  const events = client.events();
  await client.request("prompt.submit", { session_id, text: "go" });
  for await (const event of events) if (event.type === "message.complete") break;
  expect({ asked, ran }).toEqual({ asked: ["change"], ran: ["change"] });
});

test("after a cut the client goes on by itself, with no gap and no repeat", async () => {
  const hold = gate();
  const clock = handClock();
  await using stage = await GatewayStage.open(scriptedModel([say("one "), wait(hold), say("two")]));
  let drop: () => void = () => undefined;
  const connect = connectTo(stage);
  await using client = new GatewayClient({
    clock,
    connect: async (sink, signal) => {
      const link = await connect(sink, signal);
      drop = () => link.close();
      return link;
    },
  });
  const { session_id } = await client.request("session.create", {});
  const seen: string[] = [];
  let text = "";
  client.subscribe((event) => {
    seen.push(event.type);
    if (event.type === "message.delta") text += event.payload.text;
  });
  await client.request("prompt.submit", { session_id, text: "go" });
  await hold.reached;
  await untilTrue(() => text === "one ");
  drop();
  await untilTrue(() => client.state === "reconnecting");
  hold.open();
  await clock.untilPending();
  clock.advance(1000);
  await untilTrue(() => seen.includes("message.complete"));
  expect(text).toBe("one two");
  expect(seen).toContain("gateway.reconnected");
});

test("a spawned gateway ends with its client", async () => {
  await using stage = new CommandStage();
  const { PATH } = process.env;
  const env = { PATH, HOME: stage.folder, AGENT_HOME: stage.home };
  const bin = new URL("../../bin/agent.js", import.meta.url).pathname;
  await using client = new GatewayClient({
    connect: spawned({ command: process.execPath, args: [bin, "rpc"], env }),
  });
  await client.ready;
  expect(await client.request("setup.status", {})).toEqual({ provider_configured: true, demo: true });
});

test("a program that is no gateway is an error that says what it said", async () => {
  const program = "process.stderr.write('no such thing'); process.exitCode = 3";
  await using client = new GatewayClient({
    connect: spawned({ command: process.execPath, args: ["-e", program] }),
  });
  await expect(client.ready).rejects.toThrow("it exited with code 3: no such thing");
  expect(client.state).toBe("closed");
});
