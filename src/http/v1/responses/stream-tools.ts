import type { ToolCall, ToolOutcome } from "../../../core/index.ts";
import {
  callArguments,
  callItem,
  type Item,
  mcpCallId,
  mcpCallItem,
  resultItem,
  shownCallId,
  type ToolItems,
} from "./items.ts";

/** A function that sends one frame of a stream. */
type Send = (type: string, fields: Readonly<Record<string, unknown>>) => string;

/** The calls of tools in a streamed response. */
export interface ToolFrames {
  start(call: ToolCall): string;
  complete(callId: string, result: { readonly outcome: ToolOutcome; readonly output: string }): string;
  /** Closes the calls that are still open, when the response ends. */
  close(): string;
}

/** The ports of `ToolFrames`. */
export interface ToolFramePorts {
  readonly response: string;
  readonly send: Send;
  /** Takes the next place of the output. */
  readonly place: () => number;
}

/** Makes the calls of a streamed response, in one of the two forms. */
export const toolFrames = (form: ToolItems, ports: ToolFramePorts): ToolFrames =>
  form === "mcp_call" ? new McpCallFrames(ports) : new FunctionCallFrames(ports);

/** The calls as a model asks for them: an item for each call, and one for each result. */
class FunctionCallFrames implements ToolFrames {
  readonly #ports: ToolFramePorts;
  readonly #open = new Set<string>();

  constructor(ports: ToolFramePorts) {
    this.#ports = ports;
  }

  start(call: ToolCall): string {
    const { response } = this.#ports;
    this.#open.add(call.id);
    const callId = shownCallId(response, call.id);
    return this.#item(
      callItem(response, call, { callId, status: "in_progress" }),
      callItem(response, call, { callId, status: "completed" }),
    );
  }

  complete(callId: string, { output }: { readonly output: string }): string {
    if (!this.#open.delete(callId)) return "";
    const { response } = this.#ports;
    const item = resultItem(response, callId, { shownAs: shownCallId(response, callId), output });
    return this.#item(item, item);
  }

  close(): string {
    return "";
  }

  #item(begun: Item, done: Item): string {
    const { send, place } = this.#ports;
    const index = place();
    return (
      send("response.output_item.added", { output_index: index, item: begun }) +
      send("response.output_item.done", { output_index: index, item: done })
    );
  }
}

/** The calls as those of a server's tools: one item for each, open until its result is there. */
class McpCallFrames implements ToolFrames {
  readonly #ports: ToolFramePorts;
  readonly #open = new Map<string, { readonly call: ToolCall; readonly at: number }>();

  constructor(ports: ToolFramePorts) {
    this.#ports = ports;
  }

  start(call: ToolCall): string {
    const { response, send, place } = this.#ports;
    const at = place();
    this.#open.set(call.id, { call, at });
    const where = { output_index: at, item_id: mcpCallId(response, call.id) };
    const written = callArguments(call);
    return (
      send("response.output_item.added", { output_index: at, item: mcpCallItem(response, call, "begun") }) +
      send("response.mcp_call.in_progress", where) +
      send("response.mcp_call_arguments.delta", { ...where, delta: written }) +
      send("response.mcp_call_arguments.done", { ...where, arguments: written })
    );
  }

  complete(callId: string, result: { readonly outcome: ToolOutcome; readonly output: string }): string {
    const open = this.#open.get(callId);
    if (open === undefined) return "";
    this.#open.delete(callId);
    const { response, send } = this.#ports;
    const item = mcpCallItem(response, open.call, result);
    const end = result.outcome === "ok" ? "completed" : "failed";
    return (
      send(`response.mcp_call.${end}`, { output_index: open.at, item_id: item.id }) +
      send("response.output_item.done", { output_index: open.at, item })
    );
  }

  close(): string {
    const { response, send } = this.#ports;
    const frames = [...this.#open.values()].map(({ call, at }) =>
      send("response.output_item.done", {
        output_index: at,
        item: mcpCallItem(response, call, "incomplete"),
      }),
    );
    this.#open.clear();
    return frames.join("");
  }
}
