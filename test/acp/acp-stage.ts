import {
  type AnyMessage,
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
import { problemsOf, type WireMessage } from "./outgoing.ts";
import { commandWire, type Wire } from "./wire.ts";

export interface AcpOptions {
  readonly capabilities?: ClientCapabilities;
  readonly name?: string;
  /** The optionId that a permission request is answered with; the first that allows by default. */
  readonly permit?: (request: RequestPermissionRequest) => string | Promise<string>;
  /** Adds what this client answers besides. */
  readonly extend?: (app: ClientApp) => ClientApp;
}

/** An editor of a test's own. Every message that it gets is held against the protocol's schema. */
export class AcpEditor implements AsyncDisposable {
  readonly wire: Wire;
  readonly connection: ClientConnection;
  /** Everything that came, in order. */
  readonly messages: WireMessage[] = [];
  readonly updates: SessionNotification[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  /** What was wrong with what came; a test that disposes of the editor fails when there is anything. */
  readonly problems: string[] = [];
  readonly #asked = new Map<unknown, string>();
  readonly #waiting = new Set<() => void>();
  readonly #options: AcpOptions;

  constructor(wire: Wire, options: AcpOptions = {}) {
    this.#options = options;
    this.wire = wire;
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params);
        this.#look();
      })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.permissions.push(params);
        this.#look();
        const optionId = await (options.permit ?? allow)(params);
        return optionId === CANCELLED
          ? { outcome: { outcome: "cancelled" } }
          : { outcome: { outcome: "selected", optionId } };
      });
    this.connection = (options.extend?.(app) ?? app).connect(this.#stream());
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
  async until(holds: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (holds()) resolve();
    };
    this.#waiting.add(look);
    look();
    await Promise.race([
      promise,
      this.wire.over.then((why) => Promise.reject(new Error(`The agent is gone: ${why}`))),
    ]);
    this.#waiting.delete(look);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.close();
    this.wire.end();
    await this.wire.over;
    if (this.problems.length > 0) throw new Error(this.problems.join("\n"));
  }

  #stream() {
    let rest = "";
    let isOpen = true;
    return {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          this.wire.listen((text) => {
            const lines = (rest + text).split("\n");
            rest = lines.pop() ?? "";
            for (const message of lines.map((line) => this.#received(line)))
              if (isOpen) controller.enqueue(message);
          });
          void this.wire.over.then(() => isOpen && controller.close());
        },
        cancel: () => {
          isOpen = false;
        },
      }),
      writable: new WritableStream<AnyMessage>({
        write: (message) => {
          if ("method" in message && "id" in message) this.#asked.set(message.id, message.method);
          this.wire.send(`${JSON.stringify(message)}\n`);
        },
      }),
    };
  }

  #received(line: string): AnyMessage {
    const message = JSON.parse(line) as WireMessage;
    this.messages.push(message);
    const asked = message.method === undefined ? this.#asked.get(message.id) : undefined;
    this.problems.push(...problemsOf(message, asked));
    queueMicrotask(() => this.#look());
    // The SDK looks at it again.
    return message as unknown as AnyMessage;
  }

  #look(): void {
    for (const look of this.#waiting) look();
  }
}

/** As an optionId: the user did not answer. */
const CANCELLED = "\0cancelled";

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
