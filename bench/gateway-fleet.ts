import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket } from "ws";
import { report } from "./figures.ts";
import { benchHome, memoryOf, TOKEN } from "./gateway-process.ts";

/** Many clients on many running sessions, one of them stalled: how long text takes, what it costs, whether any is lost. */
const CLIENTS = Number(process.argv[2] ?? 1000);
const SESSIONS = Number(process.argv[3] ?? 100);
const DELTAS = 200;
const PACE_MS = 50;

// A model whose every word is the time at which it was said.
const model = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "text/event-stream" });
  let said = 0;
  const chunk = (choice: object): void =>
    void response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
  const timer = setInterval(() => {
    chunk({ delta: { content: `${performance.now().toFixed(1)} ` } });
    if ((said += 1) < DELTAS) return;
    clearInterval(timer);
    chunk({ delta: {}, finish_reason: "stop" });
    response.end("data: [DONE]\n\n");
  }, PACE_MS);
});
await once(model.listen(0, "127.0.0.1"), "listening");
const { port } = model.address() as AddressInfo;

using home = benchHome(`http://127.0.0.1:${port}/v1`);
const agent = home.agent("rpc", "--listen", "127.0.0.1:0");
const [line] = (await once(agent.stderr, "data")) as [Buffer];
const url = `${/ws:\S+/.exec(line.toString())?.[0] ?? ""}?token=${TOKEN}`;

interface Frame {
  readonly id?: string;
  readonly params?: { readonly type: string; readonly payload: { readonly text: string } };
}

const latencies: number[] = [];

class Client {
  readonly socket = new WebSocket(url);
  readonly done = Promise.withResolvers<void>();
  readonly #answers = new Map<string, () => void>();
  words = 0;

  constructor() {
    this.socket.on("message", (data: Buffer) => this.#take(JSON.parse(data.toString()) as Frame));
  }

  async ask(method: string, params: object): Promise<void> {
    const answered = Promise.withResolvers<void>();
    this.#answers.set(method, answered.resolve);
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id: method, method, params }));
    await answered.promise;
  }

  #take({ id, params }: Frame): void {
    if (id !== undefined) this.#answers.get(id)?.();
    if (params?.type === "message.delta") {
      const now = performance.now();
      for (const word of params.payload.text.trim().split(" ")) {
        this.words += 1;
        latencies.push(now - Number(word));
      }
    }
    if (params?.type === "message.complete") this.done.resolve();
  }
}

const clients: Client[] = [];
for (let index = 0; index < CLIENTS; index += 1) {
  const client = new Client();
  await once(client.socket, "open");
  const session_id = `session-${index % SESSIONS}`;
  const attach = { session_id, omit_messages: true };
  if (index < SESSIONS) await client.ask("session.create", { session_id });
  else await client.ask("session.resume", attach);
  clients.push(client);
}
// One that reads nothing at all.
const stalled = new Client();
await once(stalled.socket, "open");
await stalled.ask("session.resume", { session_id: "session-0" });
stalled.socket.pause();
report(`${CLIENTS} clients connected`, memoryOf(agent.pid), { unit: "MB" });
await Promise.all(
  clients
    .slice(0, SESSIONS)
    .map((client, index) => client.ask("prompt.submit", { session_id: `session-${index}`, text: "go" })),
);
await Promise.all(clients.map((client) => client.done.promise));
const memory = memoryOf(agent.pid);
const lost = clients.filter(({ words }) => words !== DELTAS).length;
const sorted = latencies.toSorted((a, b) => a - b);
const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
report("model text to client, median", at(0.5), { unit: "ms" });
report("model text to client, p99", at(0.99), { unit: "ms" });
report("memory of the gateway", memory, { unit: "MB" });
report("clients that lost text", lost, { unit: "" });
for (const { socket } of [...clients, stalled]) socket.terminate();
agent.kill("SIGTERM");
await once(agent, "close");
model.close();
model.closeAllConnections();
