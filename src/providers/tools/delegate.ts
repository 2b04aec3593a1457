import { z } from "zod";
import {
  type AnyTool,
  type SubagentReport,
  type ToolContext,
  type ToolResult,
  type ToolRun,
  defineTool,
  textPart,
} from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";

const MOST_TASKS = 10;
const LABEL_CHARACTERS = 60;

const task = {
  goal: z.string().min(1).describe("What the subagent is to do, and what its answer must hold"),
  context: z
    .string()
    .optional()
    .describe("All that it must know: paths, findings, constraints. It sees nothing of this conversation"),
  toolsets: z.array(z.string()).optional().describe("Toolsets that it may use; all it can have by default"),
};

const input = z
  .object({
    goal: task.goal.optional(),
    context: task.context,
    toolsets: task.toolsets,
    tasks: z
      .array(z.object(task))
      .min(1)
      .max(MOST_TASKS)
      .optional()
      .describe("Several tasks that do not depend on each other, done side by side; instead of goal"),
  })
  .refine(({ goal, tasks }) => (goal === undefined) !== (tasks === undefined), {
    error: "Give either a goal or tasks",
  });

type Input = z.output<typeof input>;
type Task = z.output<z.ZodObject<typeof task>>;

type Done = { readonly report: SubagentReport } | { readonly trouble: string };

/** Options of the tool that hands tasks on. */
export interface DelegateToolOptions {
  /** Ends what a session left running in the background. */
  readonly stopProcesses: (sessionId: string) => Promise<number>;
}

/** Hands tasks to subagents, and gives their answers. */
export function delegateTool({ stopProcesses }: DelegateToolOptions): AnyTool {
  return defineTool({
    name: "delegate",
    toolset: "delegate",
    description:
      "Lets subagents do tasks, each in a conversation of its own, and gives their answers. Use it for work that needs much reading or many steps but whose result is short, and for independent tasks that can be done at the same time. A subagent sees nothing of this conversation and cannot ask the user anything. For a step or two, do it yourself.",
    kind: "think",
    effect: "once",
    changes: "nothing",
    input,
    label: (given) => label(tasksOf(given)),
    // What subagents do is asked about where they do it.
    permit: () => Promise.resolve({ verdict: "allow" }),
    run: (given, context) => delegate(tasksOf(given), context, stopProcesses),
  });
}

const tasksOf = ({ goal, context, toolsets, tasks }: Input): readonly Task[] =>
  tasks ?? (goal === undefined ? [] : [{ goal, context, toolsets }]);

function label(tasks: readonly Task[]): string {
  const [first] = tasks;
  return tasks.length === 1 ? `Delegate: ${first?.goal ?? ""}` : `Delegate ${tasks.length} tasks`;
}

async function* delegate(
  tasks: readonly Task[],
  context: ToolContext,
  stopProcesses: DelegateToolOptions["stopProcesses"],
): ToolRun {
  const board = new TaskBoard(tasks);
  const work = tasks.map((task, index) => perform(task, { index, context, board, stopProcesses }));
  const all = Promise.all(work);
  for (;;) {
    const done = await Promise.race([all, board.changed()]);
    if (done !== undefined) return { ...result(tasks, done), ...(context.signal.aborted ? CANCELLED : {}) };
    yield { preview: board.preview() };
  }
}

const CANCELLED = { outcome: "cancelled" } as const;

interface Performance {
  readonly index: number;
  readonly context: ToolContext;
  readonly board: TaskBoard;
  readonly stopProcesses: DelegateToolOptions["stopProcesses"];
}

async function perform(
  { goal, context: known, toolsets }: Task,
  { index, context, board, stopProcesses }: Performance,
): Promise<Done> {
  if (context.delegate === undefined)
    return { trouble: "There are no subagents here. Do the task yourself." };
  try {
    const report = await context.delegate({
      goal,
      index,
      count: board.size,
      onProgress: (text) => board.set(index, text),
      ...(known === undefined ? {} : { context: known }),
      ...(toolsets === undefined ? {} : { toolsets }),
    });
    // Nobody is left who could look at them.
    await stopProcesses(report.sessionId);
    board.set(index, report.status);
    return { report };
  } catch (thrown) {
    const trouble = toHostError(thrown).message;
    board.set(index, trouble);
    return { trouble };
  }
}

function result(tasks: readonly Task[], done: readonly Done[]): ToolResult {
  const completed = done.filter((each) => "report" in each && each.report.status === "completed").length;
  const texts = done.map((each, index) => {
    const head = tasks.length === 1 ? "" : `## Task ${index + 1}: ${short(tasks[index]?.goal ?? "")}\n`;
    return `${head}${"report" in each ? told(each.report) : `Not begun: ${each.trouble}`}`;
  });
  const summary = tasks.length === 1 ? summaryOf(done[0]) : `${completed} of ${tasks.length} completed`;
  return { outcome: completed > 0 ? "ok" : "error", content: [textPart(texts.join("\n\n"))], summary };
}

function told({ status, answer, reason, sessionId, toolCalls, durationMs }: SubagentReport): string {
  const effort = `${toolCalls} tool calls, ${Math.round(durationMs / 1000)} s, session ${sessionId}`;
  if (status === "completed") return `${answer === "" ? "(It said nothing.)" : answer}\n\n[${effort}]`;
  const far = answer === "" ? "It had said nothing yet." : `So far it had said:\n${answer}`;
  return `The subagent did not complete the task (${status}): ${reason ?? ""}\n${far}\n\n[${effort}]`;
}

const summaryOf = (done: Done | undefined): string =>
  done !== undefined && "report" in done ? done.report.status : "not begun";

const short = (goal: string): string => {
  const line = goal.trim().replaceAll(/\s+/g, " ");
  return line.length > LABEL_CHARACTERS ? `${line.slice(0, LABEL_CHARACTERS - 1).toWellFormed()}…` : line;
};

/** What each task is at, in a line. */
class TaskBoard {
  readonly #goals: readonly string[];
  readonly #doing: string[];
  #change = Promise.withResolvers<undefined>();
  #isShown = true;

  constructor(tasks: readonly Task[]) {
    this.#goals = tasks.map(({ goal }) => short(goal));
    this.#doing = tasks.map(() => "waits");
  }

  get size(): number {
    return this.#goals.length;
  }

  set(index: number, doing: string): void {
    this.#doing[index] = short(doing);
    this.#isShown = false;
    this.#change.resolve(undefined);
    this.#change = Promise.withResolvers();
  }

  /** Resolves when something is different from what was shown last. */
  changed(): Promise<undefined> {
    return this.#isShown ? this.#change.promise : Promise.resolve(undefined);
  }

  preview(): string {
    this.#isShown = true;
    return this.#goals.map((goal, index) => `${goal}: ${this.#doing[index] ?? ""}`).join("\n");
  }
}
