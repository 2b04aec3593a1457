import {
  type AnyTool,
  type Host,
  type HostOptions,
  type Models,
  type SessionEvent,
  type ToolContext,
  type ToolEffect,
  type ToolProgress,
  type ToolResult,
  type Toolset,
  defineTool,
  openHost,
} from "../../src/core/index.ts";
import type { HostError } from "../../src/shared/errors/host-error.ts";
import { z } from "zod";
import { memoryStore } from "../../src/providers/store/index.ts";
import { random } from "./counts.ts";

/** A host on a memory store; errors that reach no caller are kept for the test to look at. */
export interface TestHost extends Host {
  readonly reported: readonly HostError[];
}

/** Opens a host on a model. The store is a memory store of its own unless one is given. */
export async function hostWith(models: Models, options: Partial<HostOptions> = {}): Promise<TestHost> {
  const reported: HostError[] = [];
  const store =
    options.store ??
    memoryStore({ random: random(1), ...(options.clock === undefined ? {} : { clock: options.clock }) });
  const host = await openHost({
    models,
    systemPrompt: () => "You are a test.",
    ...options,
    store,
    report: (error) => reported.push(error),
  });
  return Object.assign(host, { reported });
}

/** A toolset of tools made for a test. */
export function toolsOf(...tools: readonly AnyTool[]): readonly Toolset[] {
  return [{ name: "test", label: "Test", description: "Tools of a test", tools, configured: true }];
}

/** What a tool of a test does. */
export interface TestToolOptions {
  readonly effect?: ToolEffect;
  readonly run?: (
    input: Record<string, unknown>,
    context: ToolContext,
  ) => Promise<string> | AsyncGenerator<ToolProgress, ToolResult, void>;
}

/** A tool that takes anything and answers with text; reading by default, so that it runs unasked. */
export function testTool(name: string, { effect = "pure", run }: TestToolOptions = {}): AnyTool {
  return defineTool({
    name,
    description: `The test's ${name}`,
    toolset: "test",
    kind: effect === "pure" ? "read" : "execute",
    effect,
    input: z.looseObject({}),
    label: () => name,
    async *run(input, context) {
      const running = run?.(input, context) ?? Promise.resolve(`${name} ran`);
      if (!(running instanceof Promise)) return yield* running;
      return { outcome: "ok", content: [{ type: "text", text: await running }] };
    },
  });
}

/** Reads events until one of a type comes, and gives it; what came before it is dropped. */
export async function until<T extends SessionEvent["type"]>(
  events: AsyncIterable<SessionEvent>,
  type: T,
): Promise<Extract<SessionEvent, { type: T }>> {
  for await (const event of events) if (isOf(event, type)) return event;
  throw new Error(`The events ended without a ${type}.`);
}

function isOf<T extends SessionEvent["type"]>(
  event: SessionEvent,
  type: T,
): event is Extract<SessionEvent, { type: T }> {
  return event.type === type;
}

/** All events that are there now. */
export async function allEvents(
  session: { events(options: { follow: false; after?: number }): AsyncIterable<SessionEvent> },
  after = 0,
): Promise<readonly SessionEvent[]> {
  return await Array.fromAsync(session.events({ follow: false, after }));
}

/** Events as short lines, for tests about their order. */
export function outline(events: readonly SessionEvent[]): readonly string[] {
  return events.map((event) => {
    switch (event.type) {
      case "message.delta":
      case "reasoning.delta":
        return `${event.type} ${event.text}`;
      case "message.complete":
        return `${event.type} ${event.status} ${event.text}`;
      case "turn.end":
        return `${event.type} ${event.outcome}`;
      case "tool.start":
        return `${event.type} ${event.name}`;
      case "tool.complete":
        return `${event.type} ${event.name} ${event.outcome}`;
      case "approval.resolved":
      case "clarify.resolved":
        return `${event.type} ${event.resolution.outcome}`;
      default:
        return event.type;
    }
  });
}

/** Waits, one turn of the event loop at a time, until something holds that no event tells of. */
export async function untilTrue(holds: () => boolean): Promise<void> {
  // What this process does itself is soon done; another one needs the processor that looking would take.
  for (let looks = 0; !holds(); looks += 1)
    await new Promise<void>(
      (resolve) => void (looks < 2000 ? setImmediate(resolve) : setTimeout(resolve, 2)),
    );
}
