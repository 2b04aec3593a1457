import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../../src/shared/async/clock.ts";
import { textPart } from "../../src/core/events/content.ts";
import { defined } from "../../src/shared/json/defined.ts";
import { HostError, toHostError } from "../../src/shared/errors/host-error.ts";
import type { Todo } from "../../src/core/events/reply.ts";
import type {
  AnyTool,
  Permit,
  Tool,
  ToolAnswer,
  ToolContext,
  ToolQuestion,
  ToolResult,
} from "../../src/core/ports/tool.ts";

export interface ToolStage {
  readonly context: ToolContext;
  /** What the tool asked, in order. */
  readonly asked: readonly ToolQuestion[];
  /** What it put away, by hash. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** Ends the turn. */
  abort(): void;
  /** What the tool would do, without doing it. */
  permit(tool: AnyTool, input: unknown): Promise<Permit | undefined>;
  /** Runs a call as the core does: what is thrown is an error result. */
  run(tool: AnyTool, input: unknown): Promise<ToolRun>;
}

export interface ToolRun {
  readonly result: ToolResult;
  readonly text: string;
  readonly previews: readonly string[];
}

export interface StageOptions {
  readonly cwd: string;
  readonly roots?: readonly string[];
  readonly sessionId?: string;
  readonly session?: Partial<Pick<ToolContext["session"], "platform" | "source">>;
  readonly from?: ToolContext["from"];
  readonly todos?: readonly Todo[];
  readonly clock?: Clock;
  readonly columns?: number;
  readonly answer?: (question: ToolQuestion) => ToolAnswer | Promise<ToolAnswer>;
  readonly mayReach?: (host: string) => boolean;
  /** Called with each preview as it comes. */
  readonly onPreview?: (preview: string) => void;
}

const NOBODY: ToolAnswer = { outcome: "refused", reason: "nobody is there" };

/** Where a single tool is called without a host around it. */
export function toolStage(options: StageOptions): ToolStage {
  const { cwd, roots = [cwd], sessionId = "s1", todos = [], clock = systemClock } = options;
  const asked: ToolQuestion[] = [];
  const blobs = new Map<string, Uint8Array>();
  const turn = new AbortController();
  let calls = 0;
  const context = (): ToolContext => ({
    session: { id: sessionId, platform: "cli", source: "cli", cwd, roots, todos, ...options.session },
    turnId: "turn-1",
    from: options.from ?? { surface: "cli" },
    callId: `call-${(calls += 1)}`,
    signal: turn.signal,
    clock,
    ...defined({ columns: options.columns }),
    async ask(question) {
      asked.push(question);
      return (await options.answer?.(question)) ?? NOBODY;
    },
    mayReach: options.mayReach ?? (() => true),
    putBlob(bytes) {
      const hash = createHash("sha256").update(bytes).digest("hex");
      blobs.set(hash, bytes.slice());
      return Promise.resolve({ hash, size: bytes.length });
    },
    getBlob(hash) {
      const bytes = blobs.get(hash);
      return bytes === undefined
        ? Promise.reject(new HostError("blob_not_found", `There is no blob ${hash}`))
        : Promise.resolve(bytes);
    },
  });
  return {
    context: context(),
    asked,
    blobs,
    abort: () => turn.abort(),
    async permit(tool, input) {
      const typed = typedTool(tool);
      return await typed.permit?.(typed.parse(input), context());
    },
    run: (tool, input) => runOnStage(tool, input, { context: context(), onPreview: options.onPreview }),
  };
}

async function runOnStage(
  tool: AnyTool,
  input: unknown,
  { context, onPreview }: { readonly context: ToolContext; readonly onPreview: StageOptions["onPreview"] },
): Promise<ToolRun> {
  const previews: string[] = [];
  const typed = typedTool(tool);
  let result: ToolResult;
  try {
    const running = typed.run(typed.parse(input), context);
    let step = await running.next();
    for (; step.done !== true; step = await running.next()) {
      previews.push(step.value.preview);
      onPreview?.(step.value.preview);
    }
    result = step.value;
  } catch (thrown) {
    const outcome = context.signal.aborted ? "cancelled" : "error";
    result = { outcome, content: [textPart(toHostError(thrown, "tool_failed").message)] };
  }
  return { result, text: textOf(result), previews };
}

/** The words of a result. */
function textOf({ content }: ToolResult): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** The registry's own step: each tool only gets what its own `parse` made. */
function typedTool(tool: AnyTool): Tool {
  return tool;
}
