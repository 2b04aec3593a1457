import { z } from "zod";
import type { ClientFiles, ClientTerminals } from "./client-io.ts";
import type { BlobRef, HandedFile, Location, ToolContent } from "../events/content.ts";
import type { CommandSide } from "../events/question-events.ts";
import type { SessionMode } from "../events/events.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { Todo, ToolKind, ToolOutcome } from "../events/reply.ts";
import type { Origin, Platform } from "../events/prompt.ts";
import type { Persona } from "../events/persona.ts";
import type { JsonSchema } from "./model.ts";
import type { SubagentStatus } from "../events/subagent-events.ts";

/** The effect of a tool, for the policy: `pure` reads, `idempotent` may be repeated, `once` must not. */
export type ToolEffect = "pure" | "idempotent" | "once";

/** A tool's judgement of a call, before anything happens. */
export type Permit =
  /** Nothing that anybody would want to be asked about. */
  | ({ readonly verdict: "allow" } & PermitFacts)
  /** Never, in no mode. The reason is told to the model. */
  | { readonly verdict: "block"; readonly reason: string }
  /** It changes something. `harmless`: `smart` mode lets it pass without asking. */
  | ({
      readonly verdict: "ask";
      readonly harmless: boolean;
      /** Shown as it is: the command line, or `edit src/a.ts`. */
      readonly command: string;
      readonly description: string;
      /** The patterns that an answer for longer than once would cover. */
      readonly patterns: readonly string[];
      /**
       * What has to be covered, each with the rules that cover it: that of `patterns` first, the narrowest last. Without it each pattern
       * covers itself alone.
       */
      readonly parts?: readonly (readonly string[])[];
      /** Absolute; where it would run, for rules that hold in a folder. The session's workspace when it is absent. */
      readonly folder?: string;
      /** The pattern is narrow enough to be kept in the configuration. */
      readonly allowPermanent: boolean;
      /** Of a command: whether it would run in the sandbox, or with all that the user may do. */
      readonly place?: CommandSide;
      /** It asks to leave the sandbox: no mode lets it pass. */
      readonly leaves?: true;
      /** Why people are asked; each is the end of "It …". */
      readonly reasons?: readonly string[];
      /** More about the reasons, for who wants to know. */
      readonly details?: string;
      readonly content?: readonly ToolContent[];
      readonly locations?: readonly Location[];
    } & PermitFacts);

/** The facts of a call that matter for the calls after it. */
interface PermitFacts {
  /** It changes something although nobody is asked, such as the agent's memory: a session that plans refuses it. */
  readonly changes?: true;
  /** It reads something secret: from then on the session asks before it sends a request to a host that nobody named. */
  readonly sensitive?: true;
  /** Addresses that a model chose and that the call sends a request to. */
  readonly reaches?: readonly string[];
  /** It only reads, whatever its tool could do: no file has to be kept before it. */
  readonly readsOnly?: true;
  /** What the owner's denying rules are compared with, beside the tool's name and the patterns. */
  readonly names?: readonly string[];
}

/** The session as its tools see it. */
export interface ToolSession {
  readonly id: string;
  readonly platform: Platform;
  /** Of a chat, the name of its platform. */
  readonly source: string;
  /** Absolute; relative paths in calls start here. */
  readonly cwd: string;
  /** Absolute; nothing outside them is read or written. The first is the workspace. */
  readonly roots: readonly string[];
  /** The user whose memory the turn reads and writes; the owner when it is absent. */
  readonly memoryScope?: string;
  /** In which the turn answers. */
  readonly persona?: Persona;
  readonly todos: readonly Todo[];
}

/** A question that a tool asks people. */
export type ToolQuestion =
  | { readonly kind: "clarify"; readonly question: string; readonly choices: readonly string[] }
  | { readonly kind: "sudo"; readonly command: string }
  | GrantQuestion
  | { readonly kind: "secret"; readonly envVar: string; readonly prompt: string };

/** A question for leave to do what a call met on its way. What the session or the owner allow already is not asked. */
export interface GrantQuestion extends Pick<
  Extract<Permit, { verdict: "ask" }>,
  "command" | "description" | "patterns" | "reasons" | "allowPermanent" | "place"
> {
  readonly kind: "grant";
}

/** The end of a question that a tool asked; of a permission, `text` is the choice. Only here do secret and sudo answers appear. */
export type ToolAnswer =
  | { readonly outcome: "answered"; readonly text: string }
  | { readonly outcome: "expired" | "refused" | "cancelled"; readonly reason: string };

/** The context of a call: its session, and the host's services for it. */
export interface ToolContext {
  readonly session: ToolSession;
  readonly turnId: string;
  readonly callId: string;
  /** The sender of the prompt that the turn answers. */
  readonly from: Origin;
  /** Aborts when the turn ends; the tool then stops within a second and leaves no process behind. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The files of a client's editor, when one is attached that has them. */
  readonly files?: ClientFiles;
  /** A client's terminals, when one is attached that has them. */
  readonly terminals?: ClientTerminals;
  /** Characters of a line of the terminal in which a client shows the session, when one has told. */
  readonly columns?: number;
  /** Asks the people who can answer, and waits. Never rejects for want of an answer. */
  ask(question: ToolQuestion): Promise<ToolAnswer>;
  /**
   * Lets a subagent do a task in a session of its own, and gives what became of it; absent where there are none.
   *
   * @throws HostError `limit_exceeded`, `invalid_params` when it cannot begin
   */
  delegate?(task: SubagentTask): Promise<SubagentReport>;
  /** Whether the call may send a request on to a host, such as the target of a redirect, without asking anybody. */
  readonly mayReach: (host: string) => boolean;
  putBlob(bytes: Uint8Array): Promise<BlobRef>;
  getBlob(hash: string): Promise<Uint8Array>;
}

/** The newest lines of what is going on, replacing the preview before; at most a few hundred characters. */
export interface ToolProgress {
  readonly preview: string;
  /** Text that was printed since the last progress, for clients that show a terminal. It may be long; the core bounds it. */
  readonly output?: string;
}

/** The end of a call, and the content for the model. */
export interface ToolResult {
  readonly outcome: Exclude<ToolOutcome, "denied" | "unknown">;
  readonly content: readonly ToolContent[];
  /** One line for people. */
  readonly summary?: string;
  readonly todos?: readonly Todo[];
  /** The mode that people chose for the session while it ran. */
  readonly mode?: SessionMode;
  readonly locations?: readonly Location[];
  /** The whole of what `content` only holds the beginning and the end of. */
  readonly overflow?: BlobRef;
  /** Files for the people who are answered; only where `ToolContext.from` is a surface that sends them. */
  readonly files?: readonly HandedFile[];
  /** It holds something secret, as `Permit` says of calls that are known to read it beforehand. */
  readonly sensitive?: true;
}

/** The facts of a session by which its tools are chosen. */
export interface OfferedTo {
  readonly platform: Platform;
  readonly source: string;
  /** 0 for a session that is no subagent. */
  readonly depth: number;
}

/**
 * A tool that the model can call. `parse` makes typed input of the model's text, or throws an error whose message tells
 * the model what was wrong.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly toolset: string;
  readonly kind: ToolKind;
  readonly effect: ToolEffect;
  /** What it changes in the workspace: nothing, or only its `locations`; by default anything, unless its effect is `pure`. */
  readonly changes?: "nothing" | "locations";
  readonly parameters: JsonSchema;
  parse(input: unknown): Input;
  /** Whether a session has it at all; all have it when this is absent. The same session always gives the same. */
  offered?(session: OfferedTo): boolean;
  /** One line for people, at most 80 characters. */
  label(input: Input): string;
  locations?(input: Input, session: ToolSession): readonly Location[];
  /** Whether a call reaches what is outside of this machine, where nobody can take it back, such as a message that is sent. */
  leavesMachine?(input: Input): boolean;
  /** Throwing is an error result with the error's message; the call does not run. `run` gets the same object as input. */
  permit?(input: Input, context: ToolContext): Promise<Permit>;
  /** Yields progress, returns the result. Throwing is an error result with the error's message. */
  run(input: Input, context: ToolContext): ToolRun;
}

/** A call at work. */
export type ToolRun = AsyncGenerator<ToolProgress, ToolResult, void>;

/** A tool whose input type has been forgotten, as registries hold it. */
export type AnyTool = Tool<never>;

/** A group of tools that is switched on and off together. */
export interface Toolset {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly tools: readonly AnyTool[];
  /** Its part of the system prompt; short, and always the same. */
  readonly guidance?: string;
  /** Its keys and back ends are there. */
  readonly configured: boolean;
  /** Names of those tools that can be used although it is not configured. */
  readonly usable?: readonly string[];
  /** The step that configures it, when it is not configured. */
  readonly remedy?: string;
}

interface Definition<Schema extends z.ZodType> extends Omit<
  Tool<z.output<Schema>>,
  "parameters" | "parse" | "run"
> {
  readonly input: Schema;
  /**
   * Yields progress and returns the result; a tool that has nothing to tell before its end is a plain async function.
   * Throwing is an error result with the error's message.
   */
  run(input: z.output<Schema>, context: ToolContext): ToolRun | Promise<ToolResult>;
}

/**
 * Makes a tool of a zod schema: parameters, parsing and a readable message for wrong input come from it.
 *
 * @param definition - the tool, with `input` in place of `parameters` and `parse`
 */
export function defineTool<Schema extends z.ZodType>(definition: Definition<Schema>): AnyTool {
  const { input, ...rest } = definition;
  let parameters: JsonSchema | undefined;
  const tool: Tool<z.output<Schema>> = {
    ...rest,
    get parameters() {
      parameters ??= modelSchema(input);
      return parameters;
    },
    parse(raw) {
      const result = input.safeParse(raw);
      if (result.success) return result.data;
      throw new Error(`Invalid input for ${definition.name}: ${z.prettifyError(result.error)}`);
    },
    async *run(given, context) {
      const running = definition.run(given, context);
      return running instanceof Promise ? await running : yield* running;
    },
  };
  // The registry hands each tool only what its own `parse` made, so that forgetting the type is safe.
  return tool as unknown as AnyTool;
}

/** JSON Schema as model endpoints like it: no meta keys, nothing but what describes the input. */
function modelSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return parameters;
}

/** The task of a subagent. */
export interface SubagentTask {
  readonly goal: string;
  /** The facts that it must know: it sees nothing of its parent's conversation. */
  readonly context?: string;
  /** Of its parent's toolsets; all that subagents may have by default. */
  readonly toolsets?: readonly string[];
  /** Its place among the tasks of the call, from 0. */
  readonly index: number;
  readonly count: number;
  /** Told of its progress, in a line. */
  readonly onProgress?: (text: string) => void;
}

/** The result of a subagent. */
export interface SubagentReport {
  readonly sessionId: string;
  readonly status: SubagentStatus;
  /** Its last answer, cut to what the owner allows; with a status other than `completed`, what there is of it. */
  readonly answer: string;
  readonly reason?: string;
  readonly toolCalls: number;
  readonly durationMs: number;
}
