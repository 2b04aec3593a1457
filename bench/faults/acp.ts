import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { LineState } from "../../test/kit/tcp-proxy.ts";
import { AcpConnection } from "./acp-connection.ts";
import { AcpTalk } from "./acp-talk.ts";
import type { Agent, FaultName, Subject } from "./agent.ts";
import type { Talk } from "./talk.ts";

/** An agent that speaks ACP on its standard input and output. */
export interface AcpProgram {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly command: readonly string[];
  /** `{model}` is the model's address, `{home}` a folder of its own. */
  readonly env: Readonly<Record<string, string>>;
  /** Files of its home, by their path in it. */
  readonly files: Readonly<Record<string, string>>;
}

const NO_DATABASE = "it has no database server";
const WITHOUT: Readonly<Partial<Record<FaultName, string>>> = {
  "one way": "the protocol has no line: its pipe is there in both directions, or it ends",
  duplicate: "the protocol has no id of a prompt, by which one that is sent again could be known",
  "database cut": NO_DATABASE,
  "database restart": NO_DATABASE,
};

/** An agent that speaks ACP, with as many conversations on one process as are asked for. */
export const acpAgent = (program: AcpProgram): Subject => ({
  id: program.id,
  name: program.name,
  version: program.version,
  protocol: "ACP on standard input and output; `session/load` after a new start",
  notes:
    "ACP confirms no prompt (it counts as accepted when something of its answer comes), has no cursor, and no update that takes text back. Its line are the pipes of the process: a cut is that they end, and that the client starts the agent again and loads the session.",
  without: WITHOUT,
  async start(modelUrl) {
    const agent = new AcpProcess(program, modelUrl);
    await agent.recover();
    return agent;
  },
});

/** A process of an agent, and the conversations that its client has. */
class AcpProcess implements Agent {
  readonly #program: AcpProgram;
  readonly #home = mkdtempSync(join(tmpdir(), "agent-bench-"));
  readonly #cwd = join(this.#home, "work");
  readonly #fill: (text: string) => string;
  #talks: AcpTalk[] = [];
  #connection: AcpConnection | undefined;

  constructor(program: AcpProgram, modelUrl: string) {
    this.#program = program;
    this.#fill = (text) => text.replaceAll("{model}", modelUrl).replaceAll("{home}", this.#home);
    mkdirSync(this.#cwd);
    for (const [path, text] of Object.entries(program.files)) {
      mkdirSync(dirname(join(this.#home, path)), { recursive: true });
      writeFileSync(join(this.#home, path), this.#fill(text));
    }
  }

  async talk(): Promise<Talk> {
    const talk = await AcpTalk.begin(this.#running, this.#cwd);
    this.#talks.push(talk);
    return talk;
  }

  async kill(): Promise<void> {
    await this.#connection?.end(true);
    this.#connection = undefined;
  }

  async recover(): Promise<void> {
    const { command, env } = this.#program;
    const filled = Object.entries(env).map(([name, value]) => [name, this.#fill(value)]);
    this.#connection = new AcpConnection(command, {
      cwd: this.#cwd,
      env: { PATH: process.env["PATH"], TERM: "dumb", HOME: this.#home, ...Object.fromEntries(filled) },
    });
    await this.#connection.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    for (const talk of this.#talks) talk.move(this.#connection);
  }

  /** A process that is started anew has nothing but what was kept: conversations are read back from it. */
  async restore(): Promise<void> {
    await this.#connection?.end(false);
    await this.recover();
    this.#talks = [];
  }

  /** The line of a client is its pipes: when they are gone, the client is, and the agent ends with it. */
  async line(state: LineState | "break"): Promise<void> {
    if (state === "break") await this.recover();
    else if (state.cut === true) await this.#connection?.end(false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#home, { recursive: true, force: true });
  }

  get #running(): AcpConnection {
    if (this.#connection === undefined) throw new Error(`${this.#program.name} does not run.`);
    return this.#connection;
  }
}
