import { once } from "node:events";
import type { Models } from "agent-host";
import { RpcGateway } from "agent-host/rpc";
import { GatewayClient, inProcess, spawned } from "agent-host/rpc/client";
import { scriptedModel } from "agent-host/testing";
import { worldPorts } from "../test/rpc/world-ports.ts";
import { benchHost } from "./bench-host.ts";
import { median, report } from "./figures.ts";
import { agentCommand, benchHome } from "./gateway-process.ts";
import { startModelProcess } from "./model-process.ts";

/** The gateway: its start, its first calls, and how fast text gets to one client. */
const TOKENS = 50_000;

{
  using home = benchHome();
  const starts: number[] = [];
  for (let index = 0; index < 11; index += 1) {
    const started = performance.now();
    const child = home.agent("rpc");
    await once(child.stdout, "data");
    starts.push(performance.now() - started);
    child.stdin.end();
    await once(child, "close");
  }
  // The first one makes the database.
  report("spawn to gateway.ready", median(starts.slice(1)), { unit: "ms" });
}

{
  const asked: number[] = [];
  const scripted = scriptedModel();
  const models: Models = {
    ...scripted,
    resolve(ref) {
      const model = scripted.resolve(ref);
      const stream: typeof model.stream = (request) => {
        asked.push(performance.now());
        return model.stream(request);
      };
      return { ...model, stream };
    },
  };
  await using bench = await benchHost(models);
  // Its commands would work on the sources' own host, this host is the package's.
  const { moreCommands: _none, ...ports } = worldPorts().ports;
  using gateway = new RpcGateway(bench.host, ports);
  await using client = new GatewayClient({ connect: inProcess((wire) => gateway.accept(wire)) });
  const creates: number[] = [];
  const prompts: number[] = [];
  for (let index = 0; index < 100; index += 1) {
    const created = performance.now();
    const { session_id } = await client.request("session.create", {});
    creates.push(performance.now() - created);
    const over = Promise.withResolvers<void>();
    const leave = client.subscribe(({ type }) => type === "message.complete" && over.resolve());
    const prompted = performance.now();
    await client.request("prompt.submit", { session_id, text: "hi" });
    await over.promise;
    prompts.push((asked.at(-1) ?? Number.NaN) - prompted);
    leave();
  }
  report("session.create", median(creates), { unit: "ms" });
  report("prompt.submit to the model's request", median(prompts), { unit: "ms" });
}

{
  await using model = await startModelProcess(["--tokens", String(TOKENS), "--writes", "1"]);
  using home = benchHome(model.baseUrl);
  await using client = new GatewayClient({ connect: spawned({ ...agentCommand, env: home.env }) });
  const { session_id } = await client.request("session.create", {});
  const rates: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    let text = 0;
    const over = Promise.withResolvers<void>();
    const leave = client.subscribe((event) => {
      if (event.type === "message.delta") text += event.payload.text.length;
      if (event.type === "message.complete") over.resolve();
    });
    const started = performance.now();
    await client.request("prompt.submit", { session_id, text: "hi" });
    await over.promise;
    rates.push(TOKENS / ((performance.now() - started) / 1000));
    if (text !== TOKENS * 3) throw new Error(`lost text: ${text} characters`);
    leave();
  }
  report("tokens per second to one client, stdio", median(rates), { unit: "/s" });
}
