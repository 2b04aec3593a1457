import {
  client,
  type ClientApp,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  methods,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { ClientEnd } from "../client-end.ts";
import { Editor } from "../editor.ts";
import type { Wire } from "../wire.ts";

export interface V2Options {
  readonly capabilities?: ClientCapabilities;
  /** The optionId that a permission request is answered with; `once` by default. */
  readonly permit?: (request: RequestPermissionRequest) => string | Promise<string>;
  /** Adds what this client answers besides. */
  readonly extend?: (app: ClientApp) => ClientApp;
}

interface V2Words {
  readonly update: SessionUpdate;
  readonly permission: RequestPermissionRequest;
}

/** An editor that speaks the draft of version 2; disposing of it fails when a message was not as the schema says. */
export class V2Editor extends Editor<V2Words> {
  readonly connection: ClientConnection;
  readonly #options: V2Options;

  constructor(wire: Wire, options: V2Options = {}) {
    super(new ClientEnd(wire, 2));
    this.#options = options;
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => this.updated(params))
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.asked(params);
        return { outcome: { outcome: "selected", optionId: (await options.permit?.(params)) ?? "once" } };
      });
    this.connection = (options.extend?.(app) ?? app).connect(this.end.stream());
  }

  get agent(): ClientConnection["agent"] {
    return this.connection.agent;
  }

  async initialize() {
    return await this.agent.request(methods.agent.initialize, {
      protocolVersion: 2,
      info: { name: "test", version: "1" },
      capabilities: this.#options.capabilities ?? {},
    });
  }

  /** A new session in a folder; gives its id. */
  async open(cwd: string): Promise<string> {
    return (await this.agent.request(methods.agent.session.new, { cwd })).sessionId;
  }

  /** Sends a prompt; gives the id of its message as soon as it is part of the conversation. */
  async prompt(sessionId: string, ...prompt: readonly (string | ContentBlock)[]): Promise<string> {
    const blocks = prompt.map((block) =>
      typeof block === "string" ? ({ type: "text", text: block } as const) : block,
    );
    return (await this.agent.request(methods.agent.session.prompt, { sessionId, prompt: blocks })).messageId;
  }

  /** Sends a prompt and waits until nothing runs any more; gives why. */
  async run(sessionId: string, text: string): Promise<string | null | undefined> {
    // What came before an answer may reach its handler after it: what came is counted, and then waited for.
    const arrived = (): number =>
      this.messages.filter(({ params }) => {
        const line = JSON.stringify(params) ?? "";
        return (
          line.includes(`"${sessionId}"`) &&
          line.includes('"state_update"') &&
          line.includes('"state":"idle"')
        );
      }).length;
    const idle = () => this.of(sessionId, "state_update").filter(({ state }) => state === "idle");
    const ended = arrived();
    await this.prompt(sessionId, text);
    await this.until(() => idle().length > ended);
    const last = idle().at(-1);
    return last !== undefined && "stopReason" in last ? (last.stopReason as string) : undefined;
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** The states that a session went through. */
  states(sessionId: string): readonly string[] {
    return this.of(sessionId, "state_update").map(({ state }) => state);
  }

  protected leave(): void {
    this.connection.close();
  }
}

/** An editor that has introduced itself, and a session in a folder. */
export async function openV2(wire: Wire, { cwd = "/work", ...options }: V2Options & { cwd?: string } = {}) {
  const editor = new V2Editor(wire, options);
  await editor.initialize();
  return { editor, sessionId: await editor.open(cwd) };
}
