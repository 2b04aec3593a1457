import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../test/kit/free-port.ts";
import { type LineState, startTcpProxy, type TcpProxy } from "../../test/kit/tcp-proxy.ts";
import type { Agent, Subject } from "./agent.ts";
import { fetchJson } from "./http-line.ts";
import { OpencodeTalk } from "./opencode-talk.ts";
import { end, own } from "./processes.ts";
import type { Talk } from "./talk.ts";

const START_MS = 60_000;
const PROBE_MS = 3_000;
const LOOK_EVERY_MS = 100;
const NO_DATABASE = "it has no database server";

/** @param program - opencode's own program, which its package brings for this machine */
export const opencode = (program: string, version: string): Subject => ({
  id: "opencode",
  name: "opencode serve",
  version,
  protocol: "HTTP: `prompt_async` with a `messageID` of the client's, the events of `/event` by SSE",
  notes:
    "Its events have no id from which a client could go on: the driver reads all messages again. When the model's stream breaks it asks again; what it had shown of the first attempt is taken back by no event, and is gone when the messages are read again.",
  without: { "database cut": NO_DATABASE, "database restart": NO_DATABASE },
  async start(modelUrl) {
    const agent = new Opencode(program, { modelUrl, port: await freePort() });
    await agent.open();
    return agent;
  },
});

const settings = (modelUrl: string): string =>
  JSON.stringify({
    provider: {
      mock: {
        npm: "@ai-sdk/openai-compatible",
        name: "mock",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "k" },
        models: { "test-model": { name: "t" } },
      },
    },
    model: "mock/test-model",
    small_model: "mock/test-model",
    permission: { bash: "allow", edit: "allow" },
    autoupdate: false,
    share: "disabled",
  });

/** `opencode serve` with a home of its own, behind a line that can be cut. */
class Opencode implements Agent {
  readonly #program: string;
  readonly #place: { readonly modelUrl: string; readonly port: number };
  readonly #home = mkdtempSync(join(tmpdir(), "agent-bench-"));
  readonly #cwd = join(this.#home, "work");
  #line: TcpProxy | undefined;
  #child: ChildProcess | undefined;

  constructor(program: string, place: { readonly modelUrl: string; readonly port: number }) {
    this.#program = program;
    this.#place = place;
  }

  async open(): Promise<void> {
    mkdirSync(this.#cwd);
    this.#line = await startTcpProxy(this.#place.port);
    await this.recover();
  }

  async talk(): Promise<Talk> {
    const url = `http://127.0.0.1:${this.#line?.port ?? 0}`;
    const { id } = (await fetchJson(`${url}/session`, { method: "POST", body: {} })) as { id: string };
    return await OpencodeTalk.begin(url, id);
  }

  async kill(): Promise<void> {
    if (this.#child !== undefined) await end(this.#child, 0);
    this.#child = undefined;
  }

  async recover(): Promise<void> {
    const { modelUrl, port } = this.#place;
    const env = {
      PATH: process.env["PATH"],
      HOME: this.#home,
      OPENCODE_CONFIG_CONTENT: settings(modelUrl),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    };
    const args = ["serve", "--pure", "--port", String(port), "--hostname", "127.0.0.1"];
    this.#child = own(spawn(this.#program, args, { cwd: this.#cwd, env, stdio: "ignore", detached: true }));
    for (const until = performance.now() + START_MS; ; await pause(LOOK_EVERY_MS)) {
      try {
        // It takes connections some time before it answers, and those that came early it never answers.
        await fetchJson(`http://127.0.0.1:${port}/session`, { giveUpMs: PROBE_MS });
        return;
      } catch (thrown) {
        if (performance.now() > until) throw thrown;
      }
    }
  }

  restore(): Promise<void> {
    return Promise.resolve();
  }

  line(state: LineState | "break"): Promise<void> {
    if (state === "break") this.#line?.break();
    else this.#line?.set(state);
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#line?.[Symbol.asyncDispose]();
    rmSync(this.#home, { recursive: true, force: true });
  }
}
