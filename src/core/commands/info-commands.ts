import { statusOf } from "../state/status.ts";
import { done, type SlashCommand } from "./command.ts";
import { needSession } from "./need-session.ts";
import { grouped } from "./words.ts";

/** Commands that only tell something; `help` is with the catalogue. */
export const INFO_COMMANDS: readonly SlashCommand[] = [
  {
    name: "status",
    aliases: [],
    args: "",
    description: "Show what the session is doing",
    category: "Info",
    async run(context) {
      const session = needSession(context, "status");
      const state = await session.refresh();
      const record = await context.host.record(session.id);
      const status = statusOf(state, record?.owner);
      const model = context.host.services.models().resolve(state.settings);
      const lines = [
        `Session   ${session.id}`,
        `Title     ${state.title || "(none)"}`,
        `Status    ${statusText(status)}`,
        `Model     ${model.provider}:${model.name}`,
        `Folder    ${state.cwd || "(none)"}`,
        `Created   ${instant(state.createdAt)}`,
        `Active    ${instant(state.activeAt)}`,
        `Turns     ${state.counts.turns}, ${state.counts.toolCalls} tool calls`,
        `Tokens    ${grouped(state.usage.input)} in, ${grouped(state.usage.output)} out`,
      ];
      if (state.queue.length > 0) lines.push(`Queue     ${state.queue.length}`);
      return done(lines.join("\n"));
    },
  },
  {
    name: "usage",
    aliases: [],
    args: "",
    description: "Show tokens and cost",
    category: "Info",
    async run(context) {
      const session = needSession(context, "usage");
      const { usage, contextTokens, settings, counts } = await session.refresh();
      const { contextLength } = context.host.services.models().resolve(settings);
      const lines = [
        `Model calls   ${usage.calls}`,
        `Input         ${grouped(usage.input)} tokens, ${grouped(usage.cacheRead)} from cache`,
        `Output        ${grouped(usage.output)} tokens${usage.reasoning === 0 ? "" : `, ${grouped(usage.reasoning)} of them reasoning`}`,
        `Context       ${contextTokens === 0 ? "unknown" : gauge(contextTokens, contextLength)}`,
        `Compressions  ${counts.compressions}`,
        `Cost          ${usage.cost === undefined ? "unknown (no price for this model)" : `$${usage.cost.toFixed(4)}`}`,
      ];
      return done(lines.join("\n"));
    },
  },
  {
    name: "prompt",
    aliases: [],
    args: "",
    description: "Show the system prompt, as the next request has it",
    category: "Info",
    async run(context) {
      const session = needSession(context, "prompt");
      await session.refresh();
      const prompt = await session.systemPrompt();
      return done(`${prompt}\n\n(${grouped(prompt.length)} characters)`);
    },
  },
  {
    name: "quit",
    aliases: ["exit"],
    args: "",
    description: "Leave; the session stays",
    category: "Exit",
    run: () => Promise.resolve({ type: "quit" }),
  },
];

function statusText(status: ReturnType<typeof statusOf>): string {
  switch (status.status) {
    case "idle":
      return "idle";
    case "working":
      return `working (${status.doing})`;
    case "waiting":
      return `waiting for ${status.cause}${status.until === undefined ? "" : ` until ${instant(status.until)}`}`;
  }
}

const CELLS = 10;

/** How much is used, as a bar and in numbers. */
function gauge(used: number, most: number): string {
  const share = Math.min(1, used / most);
  const full = Math.round(share * CELLS);
  const bar = "█".repeat(full) + "░".repeat(CELLS - full);
  return `${bar} ${grouped(used)} of ${grouped(most)} (${Math.round(100 * share)} %)`;
}

/** A time as people read it, to the second. */
const instant = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
