import { modelChoice } from "../ports/persona.ts";
import { statusOf } from "../state/status.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defineCommands, type SlashCommand, done } from "./slash-command.ts";
import { MODE_WORDS, modeOf } from "../questions/session-mode.ts";
import type { Session } from "../session.ts";
import { groupDigits } from "../../shared/text/format.ts";
import { localTime } from "../../shared/text/local-time.ts";

/** Commands that only tell something; `help` is with the catalogue. */
export const INFO_COMMANDS: readonly SlashCommand[] = [
  ...defineCommands("Info", [
    {
      name: "status",
      aliases: ["about"],
      description: "Show what the session is doing",
      async withSession(session, _argument, context) {
        const state = await session.refresh();
        const record = await context.host.record(session.id);
        const status = statusOf(state, record?.owner);
        const model = context.host.services.models().resolve(modelChoice(state));
        const mode = modeOf(state.settings, context.host.services.policy().approvals);
        const lines = [
          `Session   ${session.id}`,
          `Title     ${state.title || "(none)"}`,
          `Status    ${statusText(status)}`,
          `Model     ${model.provider}:${model.name}`,
          `Mode      ${mode}: ${MODE_WORDS[mode].description}`,
          `Folder    ${state.cwd || "(none)"}`,
          `Created   ${localTime(state.createdAt)}`,
          `Active    ${localTime(state.activeAt)}`,
          `Turns     ${state.counts.turns}, ${state.counts.toolCalls} tool calls`,
          `Context   ${await contextText(session, model.contextLength)}`,
          `Tokens    ${groupDigits(state.usage.input)} in, ${groupDigits(state.usage.output)} out`,
        ];
        if (state.queue.length > 0) lines.push(`Queue     ${state.queue.length}`);
        return done(lines.join("\n"));
      },
    },
    {
      name: "usage",
      aliases: ["cost", "stats"],
      description: "Show tokens and cost",
      async withSession(session, _argument, context) {
        const state = await session.refresh();
        const { usage, counts } = state;
        const { contextLength } = context.host.services.models().resolve(modelChoice(state));
        const lines = [
          `Model calls   ${usage.calls}`,
          `Input         ${groupDigits(usage.input)} tokens, ${groupDigits(usage.cacheRead)} from cache`,
          `Output        ${groupDigits(usage.output)} tokens${usage.reasoning === 0 ? "" : `, ${groupDigits(usage.reasoning)} of them reasoning`}`,
          `Context       ${await contextText(session, contextLength)}`,
          `Compressions  ${counts.compressions}`,
          `Cost          ${usage.cost === undefined ? "unknown (no price for this model)" : `$${usage.cost.toFixed(4)}`}`,
        ];
        return done(lines.join("\n"));
      },
    },
    {
      name: "todos",
      args: "[clear]",
      description: "Show the steps of the present task, or put them away",
      async withSession(session, word) {
        if (word === "clear") {
          const { cleared } = await session.note("clearTodos", {});
          return done(cleared === 0 ? "There are no steps." : "The steps are put away.");
        }
        if (word !== "") throw new HostError("command_usage", "Usage: /todos [clear]");
        const { todos } = await session.refresh();
        if (todos.length === 0) return done("There are no steps.");
        return done(todos.map(({ content, status }) => `${TODO_MARKS[status]} ${content}`).join("\n"));
      },
    },
    {
      name: "prompt",
      description: "Show the system prompt, as the next request has it",
      async withSession(session) {
        await session.refresh();
        const prompt = await session.systemPrompt();
        return done(`${prompt}\n\n(${groupDigits(prompt.length)} characters)`);
      },
    },
  ]),
  ...defineCommands("Exit", [
    {
      name: "quit",
      aliases: ["exit"],
      description: "Leave; the session stays",
      run: () => Promise.resolve({ type: "quit" }),
    },
  ]),
];

const TODO_MARKS = { pending: "☐", in_progress: "▸", completed: "☑", cancelled: "☒" } as const;

function statusText(status: ReturnType<typeof statusOf>): string {
  switch (status.status) {
    case "idle":
      return "idle";
    case "working":
      return `working (${status.doing})`;
    case "waiting":
      return `waiting for ${status.cause}${status.until === undefined ? "" : ` until ${localTime(status.until)}`}`;
  }
}

/** How full the model's window is; estimated where nobody has counted, as after turns were taken back. */
async function contextText(session: Session, contextLength: number): Promise<string> {
  const { contextTokens, counts } = session.state;
  if (contextTokens > 0) return gauge(contextTokens, contextLength);
  if (counts.messages === 0) return "empty";
  const parts = await session.contextParts();
  const estimated = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return `${gauge(estimated, contextLength)}, estimated`;
}

const CELLS = 10;

function gauge(used: number, most: number): string {
  const share = Math.min(1, used / most);
  const full = Math.round(share * CELLS);
  const bar = "█".repeat(full) + "░".repeat(CELLS - full);
  return `${bar} ${groupDigits(used)} of ${groupDigits(most)} (${Math.round(100 * share)} %)`;
}
