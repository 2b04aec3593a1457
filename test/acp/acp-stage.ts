import {
  client,
  type ClientApp,
  type ClientCapabilities,
  type ClientConnection,
  methods,
  type PermissionOption,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import type { CommandStage } from "../kit/command.ts";
import { ClientEnd } from "./client-end.ts";
import type { WireMessage } from "./outgoing.ts";
import { commandWire, type Wire } from "./wire.ts";

export interface AcpOptions {
  readonly capabilities?: ClientCapabilities;
  readonly name?: string;
  /** The optionId that a permission request is answered with; the first that allows by default. `CANCELLED`: none. */
  readonly permit?: (request: RequestPermissionRequest) => string | Promise<string>;
  /** Adds what this client answers besides. */
  readonly extend?: (app: ClientApp) => ClientApp;
}

/** An editor of a test's own; disposing of it fails when a message was not as the protocol's schema says. */
export class AcpEditor implements AsyncDisposable {
  readonly connection: ClientConnection;
  readonly updates: SessionNotification[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly #end: ClientEnd;
  readonly #options: AcpOptions;

  constructor(wire: Wire, options: AcpOptions = {}) {
    this.#options = options;
    this.#end = new ClientEnd(wire, 1);
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params);
        this.#end.look();
      })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.permissions.push(params);
        this.#end.look();
        const optionId = await (options.permit ?? allow)(params);
        return optionId === CANCELLED
          ? { outcome: { outcome: "cancelled" } }
          : { outcome: { outcome: "selected", optionId } };
      });
    this.connection = (options.extend?.(app) ?? app).connect(this.#end.stream());
  }

  get wire(): Wire {
    return this.#end.wire;
  }

  /** Everything that came, in order. */
  get messages(): readonly WireMessage[] {
    return this.#end.messages;
  }

  get agent(): ClientConnection["agent"] {
    return this.connection.agent;
  }

  /** Introduces the editor. */
  async initialize() {
    return await this.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: this.#options.capabilities ?? {},
      clientInfo: { name: this.#options.name ?? "test", version: "1" },
    });
  }

  /** A new session in a folder; gives its id. */
  async open(cwd: string): Promise<string> {
    const { sessionId } = await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    return sessionId;
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** The updates of one kind that came for a session. */
  of<K extends SessionUpdate["sessionUpdate"]>(
    sessionId: string,
    kind: K,
  ): readonly Extract<SessionUpdate, { sessionUpdate: K }>[] {
    return this.updates.flatMap(({ sessionId: id, update }) =>
      id === sessionId && isOf(update, kind) ? [update] : [],
    );
  }

  /** What the agent said in a session. */
  said(sessionId: string): string {
    return this.of(sessionId, "agent_message_chunk")
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** Waits until something holds that an update or a request brings about. */
  until(holds: () => boolean): Promise<void> {
    return this.#end.until(holds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.close();
    await this.#end.close();
  }
}

/** As an optionId: the user did not choose any. */
export const CANCELLED = "\0cancelled";

const allow = ({ options }: RequestPermissionRequest): string =>
  options.find(({ kind }: PermissionOption) => kind === "allow_once")?.optionId ?? "";

function isOf<K extends SessionUpdate["sessionUpdate"]>(
  update: SessionUpdate,
  kind: K,
): update is Extract<SessionUpdate, { sessionUpdate: K }> {
  return update.sessionUpdate === kind;
}

/** An editor that has introduced itself, and a session in the stage's workspace. */
export async function openEditor(stage: CommandStage, options: AcpOptions = {}) {
  const editor = new AcpEditor(commandWire(stage), options);
  await editor.initialize();
  return { editor, sessionId: await editor.open(stage.workspace) };
}
