interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly protocolVersion?: string;
    readonly capabilities?: object;
    readonly requestId?: number;
    readonly _meta?: { readonly progressToken?: number };
  };
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface ServerOptions {
  /** What it lists in place of its own tools. */
  readonly tools?: readonly unknown[];
  /** What it does instead of greeting. */
  readonly start?: "hang" | "die" | "flood" | "noise";
}

/** What a server can do: as a program of its own, or inside the test. */
export interface ServerStage {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  complain(text: string): Promise<void>;
  die(code: number): void;
  /** Remembers something for the test. */
  note(text: string): void;
  readonly facts: object;
}

const NAMES = ["echo", "env", "slow", "hang", "die", "flood", "noise", "long", "huge", "wrong", "odd"].concat(
  ["picture", "ask", "sample", "roots", "grow", "fail"],
);
const FORM = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name" },
    age: { type: "integer", minimum: 1 },
    color: { type: "string", enum: ["red", "green"] },
    note: { type: "string" },
  },
  required: ["name", "age", "color"],
};
const PROMPT = {
  name: "Review",
  description: "Reviews code",
  arguments: [{ name: "file", required: true }, { name: "tone" }],
};
const LONG = "x".repeat(20_000);

const plain = (name: string) => ({ name, description: `Does ${name}`, inputSchema: { type: "object" } });
const text = (words: string) => ({ content: [{ type: "text", text: words }] });
const never = new Promise<never>(() => undefined);

/** An MCP server that does what a test asks for, good or bad. It takes lines, and writes them to its stage. */
export class TestServer {
  readonly #options: ServerOptions;
  readonly #stage: ServerStage;
  readonly #asked = new Map<string, (answer: Message) => void>();
  #tools: readonly unknown[];

  constructor(options: ServerOptions, stage: ServerStage) {
    this.#options = options;
    this.#stage = stage;
    this.#tools = options.tools ?? NAMES.map(plain);
  }

  async start(): Promise<void> {
    const { start } = this.#options;
    if (start === "die") {
      await this.#stage.complain("no database\n");
      this.#stage.die(3);
    }
    if (start === "flood") for (;;) await this.#stage.write(LONG);
    if (start === "noise") await this.#stage.write("starting up\n{ this is no message }\n{}\n");
  }

  take(line: string): void {
    if (this.#options.start === "hang" || line === "") return;
    const message = JSON.parse(line) as Message;
    const { id, method } = message;
    if (method === "notifications/cancelled") this.#stage.note("cancelled");
    if (method === undefined) return this.#asked.get(String(id))?.(message);
    if (id === undefined) return;
    this.#answer(message).then(
      (result) => this.#send({ id, result }),
      (error: unknown) => this.#send({ id, error: { code: -32601, message: String(error) } }),
    );
  }

  async #answer({ method = "", params = {} }: Message): Promise<unknown> {
    switch (method) {
      case "initialize":
        this.#stage.note(`capabilities ${JSON.stringify(params.capabilities)}`);
        return {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
          serverInfo: { name: "test", version: "1" },
        };
      case "tools/list":
        return { tools: this.#tools };
      case "tools/call":
        return await this.#call(params);
      case "prompts/list":
        return { prompts: [PROMPT] };
      case "prompts/get":
        return { messages: [{ role: "user", ...single(`Review ${JSON.stringify(params.arguments)}`) }] };
      case "resources/list":
        return { resources: [{ uri: "note://one", name: "One", mimeType: "text/plain" }] };
      case "resources/read":
        return { contents: [{ uri: params.uri, mimeType: "text/plain", text: `what ${params.uri} says` }] };
      default:
        throw new Error(`no method ${method}`);
    }
  }

  async #call({ name, arguments: input, _meta }: NonNullable<Message["params"]>): Promise<unknown> {
    switch (name) {
      case "echo":
        return text(String(input?.["text"]));
      case "env":
        return text(JSON.stringify(this.#stage.facts));
      case "slow":
        for (const progress of [1, 2, 3]) {
          const params = {
            progressToken: _meta?.progressToken,
            progress,
            total: 3,
            message: `step ${progress}`,
          };
          await this.#send({ method: "notifications/progress", params });
        }
        return await never;
      case "hang":
        return await never;
      case "die":
        await this.#stage.complain("my disk is full\n");
        return this.#stage.die(7);
      case "flood":
        for (let i = 0; i < 3000; i += 1)
          await this.#send({ method: "notifications/message", params: { level: "info", data: LONG } });
        return text("done");
      case "noise":
        for (let i = 0; i < 3000; i += 1) await this.#stage.complain(LONG);
        return text("done");
      case "long":
        return text(`begin ${"word ".repeat(100_000)} end`);
      case "huge":
        return text("x".repeat(11 * 1024 * 1024));
      case "wrong":
        return { content: "no list" };
      case "odd":
        return { content: [{ type: "hologram", data: 1 }] };
      case "picture":
        return { content: [{ type: "image", mimeType: "image/png", data: "aGVsbG8=" }] };
      case "ask":
        return await this.#ask("elicitation/create", { message: "Who are you?", requestedSchema: FORM });
      case "sample":
        return await this.#ask("sampling/createMessage", {
          messages: [{ role: "user", ...single("What is the answer?") }],
          maxTokens: 100,
        });
      case "roots":
        return await this.#ask("roots/list", {});
      case "grow":
        this.#tools = [...this.#tools, plain("grown")];
        await this.#send({ method: "notifications/tools/list_changed" });
        return text("grown");
      default:
        return { ...text("it failed"), isError: true };
    }
  }

  /** Asks the other side, and gives its answer as a result. */
  async #ask(method: string, params: object): Promise<unknown> {
    const id = `s${this.#asked.size}`;
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#asked.set(id, resolve);
    await this.#send({ id, method, params });
    const { result, error } = await promise;
    return text(JSON.stringify(result ?? error));
  }

  #send(message: object): Promise<void> {
    return this.#stage.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

const single = (words: string) => ({ content: { type: "text", text: words } });
