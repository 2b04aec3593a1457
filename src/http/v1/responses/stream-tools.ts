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

type Send = (type: string, fields: Readonly<Record<string, unknown>>) => string;

/** The calls of tools in a streamed response. */
export interface ToolFrames {
  start(call: ToolCall): string;
  complete(callId: string, result: { readonly outcome: ToolOutcome; readonly output: string }): string;
  /** Closes the calls that are still open, when the response ends. */
  close(): string;
}

interface ToolFramePorts {
  readonly response: string;
  readonly send: Send;
  /** Takes the next place of the output. */
  readonly place: () => number;
}

/** Makes the calls of a streamed response, in one of the two forms. */
export const toolFrames = (form: ToolItems, ports: ToolFramePorts): ToolFrames =>
  form === "mcp_call" ? mcpCallFrames(ports) : functionCallFrames(ports);

/** The calls as a model asks for them: an item for each call, and one for each result. */
function functionCallFrames({ response, send, place }: ToolFramePorts): ToolFrames {
  const open = new Set<string>();
  const item = (begun: Item, done: Item): string => {
    const index = place();
    return (
      send("response.output_item.added", { output_index: index, item: begun }) +
      send("response.output_item.done", { output_index: index, item: done })
    );
  };
  return {
    start(call) {
      open.add(call.id);
      const callId = shownCallId(response, call.id);
      return item(
        callItem(response, call, { callId, status: "in_progress" }),
        callItem(response, call, { callId, status: "completed" }),
      );
    },
    complete(callId, { output }) {
      if (!open.delete(callId)) return "";
      const result = resultItem(response, callId, { shownAs: shownCallId(response, callId), output });
      return item(result, result);
    },
    close: () => "",
  };
}

/** The calls as those of a server's tools: one item for each, open until its result is there. */
function mcpCallFrames({ response, send, place }: ToolFramePorts): ToolFrames {
  const open = new Map<string, { readonly call: ToolCall; readonly at: number }>();
  return {
    start(call) {
      const at = place();
      open.set(call.id, { call, at });
      const where = { output_index: at, item_id: mcpCallId(response, call.id) };
      const written = callArguments(call);
      return (
        send("response.output_item.added", { output_index: at, item: mcpCallItem(response, call, "begun") }) +
        send("response.mcp_call.in_progress", where) +
        send("response.mcp_call_arguments.delta", { ...where, delta: written }) +
        send("response.mcp_call_arguments.done", { ...where, arguments: written })
      );
    },
    complete(callId, result) {
      const begun = open.get(callId);
      if (begun === undefined) return "";
      open.delete(callId);
      const item = mcpCallItem(response, begun.call, result);
      const end = result.outcome === "ok" ? "completed" : "failed";
      return (
        send(`response.mcp_call.${end}`, { output_index: begun.at, item_id: item.id }) +
        send("response.output_item.done", { output_index: begun.at, item })
      );
    },
    close() {
      const frames = [...open.values()].map(({ call, at }) => {
        const item = mcpCallItem(response, call, "incomplete");
        return send("response.output_item.done", { output_index: at, item });
      });
      open.clear();
      return frames.join("");
    },
  };
}
