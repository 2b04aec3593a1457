import { addAbortListener } from "node:events";
import {
  type CallToolResult,
  Client,
  type GetPromptResult,
  type ListResourcesResult,
  type ReadResourceResult,
} from "@modelcontextprotocol/client";
import { defined } from "../../shared/json/defined.ts";
import type { ToolContext } from "../../core/index.ts";
import { sleep } from "../../shared/async/clock.ts";
import { waitAtMost, within } from "../../shared/async/deadline.ts";
import { mcpFailureText } from "./failure.ts";
import { allPages, type Listing, ListPage, readPrompts, readTools } from "./listing.ts";
import { ProcessTransport } from "./process-transport.ts";
import { RunningCall, RunningCalls } from "./running-call.ts";
import { CALL_MS, type McpServer } from "./server.ts";
import { answerRequests } from "./server-requests.ts";
import { WebTransport } from "./web-transport.ts";
import type { McpHost } from "./host.ts";

/** Milliseconds that a server gets to hear that its session is over. */
const LEAVE_MS = 1000;
/** Milliseconds for the last words to a server whose connection is given up. */
const RETIRE_MS = 500;
/** The library's own time limits are off: those of the host's clock hold. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** The callbacks of a connection. */
export interface McpConnectionEvents {
  /** It has ended, and not by this side's wish. */
  readonly lost: (why: string) => void;
  /** The server offers other things than before. */
  readonly changed: () => void;
}

/** One connection to a server, from its initialization to its end. */
export class McpConnection {
  readonly #server: McpServer;
  readonly #host: McpHost;
  readonly #events: McpConnectionEvents;
  readonly #client: Client;
  readonly #transport: ProcessTransport | WebTransport;
  readonly #calls = new RunningCalls();
  readonly #life = new AbortController();

  constructor(server: McpServer, host: McpHost, events: McpConnectionEvents) {
    this.#server = server;
    this.#host = host;
    this.#events = events;
    const mayAsk = server.sampling === true && host.sample !== undefined;
    const onChanged = (): void => events.changed();
    const watched = { autoRefresh: false, onChanged } as const;
    this.#client = new Client(
      { name: "agent-host", version: host.version },
      {
        capabilities: { roots: {}, elicitation: { form: {} }, ...(mayAsk ? { sampling: {} } : {}) },
        listChanged: { tools: watched, prompts: watched },
      },
    );
    answerRequests(this.#client, server, { host, calls: this.#calls });
    this.#transport =
      server.type === "stdio" ? new ProcessTransport(server, host) : new WebTransport(server, host);
  }

  /** Why it ended by itself; `undefined` when it did not. */
  get endReason(): string | undefined {
    return this.#transport.endReason;
  }

  /** Initializes the server. A failure closes the connection. */
  async open(signal: AbortSignal): Promise<void> {
    using listening = new DisposableStack();
    listening.use(addAbortListener(signal, () => void this.close()));
    try {
      signal.throwIfAborted();
      await this.#client.connect(this.#transport, { signal, timeout: NO_TIMEOUT });
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK knows no other way
      this.#client.onclose = () => this.#lost();
    } catch (thrown) {
      await this.close();
      throw thrown;
    }
  }

  /** Asks for everything that the server offers. */
  async list(signal: AbortSignal): Promise<Listing> {
    const can = this.#client.getServerCapabilities() ?? {};
    const notes: string[] = [];
    const tools = can.tools === undefined ? [] : await this.#entries("tools", signal);
    const hasPrompts = can.prompts !== undefined && this.#server.prompts !== false;
    const prompts = hasPrompts
      ? await this.#entries("prompts", signal).catch((thrown: unknown) => {
          // Tools are of use without prompts.
          notes.push(`its prompts cannot be listed: ${mcpFailureText(thrown)}`);
          return [];
        })
      : [];
    return {
      tools: readTools(tools, notes),
      prompts: readPrompts(prompts, notes),
      resources: can.resources !== undefined && this.#server.resources !== false,
      notes,
    };
  }

  /** The entries of a list of the server's. */
  #entries(of: "tools" | "prompts", signal: AbortSignal): Promise<readonly unknown[]> {
    return allPages(of, (cursor) => {
      const request = { method: `${of}/list`, params: defined({ cursor }) };
      return this.#client.request(request, ListPage, { signal, timeout: NO_TIMEOUT });
    });
  }

  /** @throws Error when the server refuses, is silent for too long, or ends; and when the turn does */
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options: { readonly context: ToolContext; readonly progress: (text: string) => void },
  ): Promise<CallToolResult> {
    return this.#run(options.context, (call) =>
      // Not by the library's own method, which holds results against the server's schemas: their patterns could hold up
      // this process for ever.
      this.#client.request(
        { method: "tools/call", params: { name, arguments: { ...input } } },
        {
          signal: call.signal,
          timeout: NO_TIMEOUT,
          onprogress: ({ progress, total, message }) => {
            call.alive();
            options.progress(message ?? (total === undefined ? String(progress) : `${progress} of ${total}`));
          },
        },
      ),
    );
  }

  listResources(cursor: string | undefined, context: ToolContext): Promise<ListResourcesResult> {
    const params = defined({ cursor });
    return this.#run(context, ({ signal }) =>
      this.#client.request({ method: "resources/list", params }, { signal, timeout: NO_TIMEOUT }),
    );
  }

  readResource(uri: string, context: ToolContext): Promise<ReadResourceResult> {
    return this.#run(context, ({ signal }) =>
      this.#client.readResource({ uri }, { signal, timeout: NO_TIMEOUT, cacheMode: "bypass" }),
    );
  }

  /** @throws Error when the server refuses, is silent for too long, or ends */
  prompt(
    name: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<GetPromptResult> {
    const limits = { clock: this.#host.clock, ms: this.#server.callMs ?? CALL_MS, signal };
    return within(limits, (inTime) =>
      this.#client.getPrompt({ name, arguments: { ...given } }, { signal: inTime, timeout: NO_TIMEOUT }),
    );
  }

  /** Closes it soon after the last call on it is over: the server may have to hear that it was cancelled. */
  async retire(): Promise<void> {
    if (await this.#calls.idle()) await sleep(this.#host.clock, RETIRE_MS, this.#life.signal);
    await this.close();
  }

  /** Closes it; calls that run on it fail. Never rejects. */
  async close(): Promise<void> {
    if (this.#life.signal.aborted) return;
    this.#life.abort();
    if (this.#transport instanceof WebTransport) {
      const transport = this.#transport;
      const limit = { clock: this.#host.clock, ms: LEAVE_MS };
      await waitAtMost(limit, () => transport.leave().catch(() => undefined));
    }
    await this.#transport.close().catch(() => undefined);
    await this.#client.close().catch(() => undefined);
  }

  async #run<T>(context: ToolContext, work: (call: RunningCall) => Promise<T>): Promise<T> {
    const call = new RunningCall(context, this.#server.callMs ?? CALL_MS);
    try {
      return await this.#calls.run(call, () => work(call));
    } catch (thrown) {
      throw call.late ?? thrown;
    }
  }

  #lost(): void {
    if (this.#life.signal.aborted) return;
    this.#events.lost(this.#transport.endReason ?? "the connection has ended");
  }
}
