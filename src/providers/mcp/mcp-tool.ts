import type { AnyTool, Tool, ToolContext, ToolRun } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { McpConnection } from "./connection.ts";
import { inputSchema } from "./input-schema.ts";
import type { ListedTool } from "./listing.ts";
import { visibleLine, visibleText } from "./visible-text.ts";
import { resultOf } from "./result.ts";
import { toolName } from "./tool-name.ts";

/** A way to do something on the connection to a server; it waits for one that is being made anew. */
export type UseServer = <T>(
  work: (connection: McpConnection) => Promise<T>,
  signal: AbortSignal,
) => Promise<T>;

const LONGEST_LABEL = 80;
const LONGEST_TITLE = 120;
const LONGEST_DESCRIPTION = 4000;
const LONGEST_PROGRESS = 200;

type Input = Readonly<Record<string, unknown>>;

/** Makes a tool of the host from a server's. The server's word is no reason to trust its tools: each call asks. */
export function mcpTool(
  server: string,
  tool: ListedTool,
  { use, notes }: { readonly use: UseServer; readonly notes: string[] },
): AnyTool {
  const shown = visibleLine(tool.name, LONGEST_TITLE);
  const title = visibleLine(tool.title ?? tool.name, LONGEST_TITLE) || shown;
  const { schema, problem } = inputSchema(tool.inputSchema);
  if (problem !== undefined)
    notes.push(`the input schema of ${shown} is not used: ${visibleLine(problem, LONGEST_TITLE)}`);
  const made: Tool<Input> = {
    name: toolName(server, tool.name),
    description: visibleText(tool.description ?? "", LONGEST_DESCRIPTION) || title,
    toolset: `mcp:${server}`,
    kind: tool.readOnly ? "read" : "other",
    effect: "once",
    parameters: schema,
    parse(input) {
      if (isJsonObject(input)) return input;
      throw new Error(`Invalid input for ${shown}: it must be an object.`);
    },
    leavesMachine: () => !tool.readOnly,
    label: () => `${server}: ${title}`.slice(0, LONGEST_LABEL),
    permit: (input) =>
      Promise.resolve({
        verdict: "ask",
        harmless: false,
        command: `${server}: ${shown} ${JSON.stringify(input)}`,
        description: `Calls ${title} of the MCP server ${server}`,
        patterns: [`mcp:${server}:${tool.name}`],
        reasons: ["runs a tool of another program, whose own word about it counts for nothing"],
        allowPermanent: true,
        reaches: addressesIn(input),
      }),
    run: (input, context) => call(tool.name, input, { use, context }),
  };
  // The registry hands each tool only what its own `parse` made, so that forgetting the type is safe.
  return made as unknown as AnyTool;
}

/** Names of arguments that hold an address, also one without its scheme. */
const ADDRESS = /url|uri|host|domain|endpoint|address|link|href|site|server/i;

/** The addresses of servers among a call's arguments, however deep. */
function addressesIn(value: unknown): readonly string[] {
  const found: string[] = [];
  JSON.stringify(value, (key, each: unknown) => {
    if (typeof each !== "string") return each;
    const addresses = each.match(/\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>]{1,2000}/gi) ?? [];
    found.push(...addresses.filter((address) => !/^file:/i.test(address)));
    if (addresses.length === 0 && ADDRESS.test(key) && /^[\w-]+(\.[\w-]+)+([:/?#]|$)/.test(each))
      found.push(`https://${each}`);
    return each;
  });
  return found;
}

async function* call(
  name: string,
  input: Input,
  { use, context }: { readonly use: UseServer; readonly context: ToolContext },
): ToolRun {
  const latest = new LatestValue<string>();
  const progress = (text: string): void => latest.set(visibleLine(text, LONGEST_PROGRESS));
  const result = use((connection) => connection.call(name, input, { context, progress }), context.signal);
  for await (const preview of latest.until(result)) yield { preview };
  return await resultOf(await result, context);
}

/** The newest value of something that goes on; a value that nobody took in time is forgotten. */
class LatestValue<T> {
  #newest: { readonly value: T } | undefined;
  #changed = Promise.withResolvers<void>();

  set(value: T): void {
    this.#newest = { value };
    this.#changed.resolve();
  }

  /** Yields the newest value again and again, until something is over, however it ends. */
  async *until(over: Promise<unknown>): AsyncGenerator<T, void> {
    const end = over.then(
      () => true,
      () => true,
    );
    for (;;) {
      const isOver = await Promise.race([end, this.#changed.promise.then(() => false)]);
      if (isOver) return;
      this.#changed = Promise.withResolvers<void>();
      const { value } = this.#newest ?? {};
      this.#newest = undefined;
      if (value !== undefined) yield value;
    }
  }
}
