import type { AcpConnection, AcpUpdate } from "./acp-connection.ts";
import type { KeptLine } from "./history.ts";
import { promptText, type Talk, TalkRecord } from "./talk.ts";

/** A conversation over ACP. A client that comes back loads the session: all of it is told again. */
export class AcpTalk implements Talk {
  readonly record = new TalkRecord();
  readonly #session: string;
  readonly #cwd: string;
  #connection: AcpConnection;
  #current = 0;
  /** What a session that is being loaded has told so far. */
  #loading: KeptLine[] | undefined;

  private constructor(connection: AcpConnection, session: string, cwd: string) {
    this.#connection = connection;
    this.#session = session;
    this.#cwd = cwd;
    connection.onUpdate(session, (update) => this.#take(update));
  }

  static async begin(connection: AcpConnection, cwd: string): Promise<AcpTalk> {
    const { sessionId } = await connection.request("session/new", { cwd, mcpServers: [] });
    return new AcpTalk(connection, String(sessionId), cwd);
  }

  /** Goes on with a new process of the agent. */
  move(connection: AcpConnection): void {
    this.#connection = connection;
    connection.onUpdate(this.#session, (update) => this.#take(update));
  }

  /** The protocol confirms no prompt: it counts as accepted as soon as something of its answer comes. */
  send(number: number): Promise<void> {
    this.#current = number;
    const asked = this.#connection.request("session/prompt", {
      sessionId: this.#session,
      prompt: [{ type: "text", text: promptText(number) }],
    });
    asked.then(
      ({ stopReason }) => {
        this.record.accept(number);
        const end =
          stopReason === "end_turn" ? "completed" : stopReason === "cancelled" ? "stopped" : "failed";
        this.record.end(number, end);
      },
      (thrown: unknown) => {
        // Of a process that ended nothing was told: what became of the turn, its session says when it is loaded.
        if (!String(thrown).includes("the agent ended")) this.record.end(number, "failed", String(thrown));
      },
    );
    return Promise.resolve();
  }

  async reconnect(): Promise<void> {
    const lines = await this.kept();
    this.record.showInstead(
      lines
        .filter(({ role }) => role === "agent")
        .map(({ text }) => text)
        .join("\n"),
    );
    // A process that was started anew runs no turn.
    this.record.end(this.#current, "failed");
  }

  hold(isHeld: boolean): void {
    this.#connection.hold(isHeld);
  }

  stop(): Promise<void> {
    this.#connection.notify("session/cancel", { sessionId: this.#session });
    return Promise.resolve();
  }

  async kept(): Promise<readonly KeptLine[]> {
    const lines: KeptLine[] = [];
    this.#loading = lines;
    try {
      await this.#connection.request("session/load", {
        sessionId: this.#session,
        cwd: this.#cwd,
        mcpServers: [],
      });
    } finally {
      this.#loading = undefined;
    }
    return joined(lines);
  }

  close(): void {
    this.#connection.onUpdate(this.#session, () => undefined);
  }

  #take({ sessionUpdate, content, title = "", rawInput }: AcpUpdate): void {
    const text = content?.text ?? "";
    const role = ROLES[sessionUpdate];
    if (role === undefined) return;
    if (this.#loading !== undefined)
      this.#loading.push({
        role,
        text: role === "call" ? `${title} ${JSON.stringify(rawInput ?? "")}` : text,
      });
    else if (role !== "user") {
      this.record.accept(this.#current);
      if (role === "agent") this.record.show(text);
    }
  }
}

const ROLES: Readonly<Record<string, KeptLine["role"]>> = {
  agent_message_chunk: "agent",
  user_message_chunk: "user",
  tool_call: "call",
};

/** Chunks of one message as one line. */
function joined(lines: readonly KeptLine[]): readonly KeptLine[] {
  const all: KeptLine[] = [];
  for (const line of lines) {
    const last = all.at(-1);
    if (last !== undefined && last.role === line.role && line.role === "agent")
      all[all.length - 1] = { role: line.role, text: last.text + line.text };
    else all.push(line);
  }
  return all;
}
