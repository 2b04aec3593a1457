import {
  client,
  type ClientApp,
  type ClientCapabilities,
  type ClientConnection,
  methods,
  type PermissionOption,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import type { CommandStage } from "../kit/command.ts";
import { ClientEnd } from "./client-end.ts";
import { Editor } from "./editor.ts";
import { commandWire, type Wire } from "./wire.ts";

export interface AcpOptions {
  readonly capabilities?: ClientCapabilities;
  readonly name?: string;
  /** The optionId that a permission request is answered with; the first that allows by default. `CANCELLED`: none. */
  readonly permit?: (request: RequestPermissionRequest) => string | Promise<string>;
  /** Adds what this client answers besides. */
  readonly extend?: (app: ClientApp) => ClientApp;
}

interface V1Words {
  readonly update: SessionUpdate;
  readonly permission: RequestPermissionRequest;
}

/** An editor that speaks version 1; disposing of it fails when a message was not as the protocol's schema says. */
export class AcpEditor extends Editor<V1Words> {
  readonly connection: ClientConnection;
  readonly #options: AcpOptions;

  constructor(wire: Wire, options: AcpOptions = {}) {
    super(new ClientEnd(wire, 1));
    this.#options = options;
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => this.updated(params))
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.asked(params);
        const optionId = await (options.permit ?? allow)(params);
        return optionId === CANCELLED
          ? { outcome: { outcome: "cancelled" } }
          : { outcome: { outcome: "selected", optionId } };
      });
    this.connection = (options.extend?.(app) ?? app).connect(this.end.stream());
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

  protected leave(): void {
    this.connection.close();
  }
}

/** As an optionId: the user did not choose any. */
export const CANCELLED = "\0cancelled";

const allow = ({ options }: RequestPermissionRequest): string =>
  options.find(({ kind }: PermissionOption) => kind === "allow_once")?.optionId ?? "";

/** An editor that has introduced itself, and a session in the stage's workspace. */
export async function openEditor(stage: CommandStage, options: AcpOptions = {}) {
  const editor = new AcpEditor(commandWire(stage), options);
  await editor.initialize();
  return { editor, sessionId: await editor.open(stage.workspace) };
}
