import type { SessionMode } from "../events/events.ts";
import { MODE_WORDS, modeNamed, modeOf, SESSION_MODES } from "../questions/session-mode.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Session } from "../session.ts";
import { type CommandContext, defineCommands, done, type SlashCommandResult } from "./slash-command.ts";

/** Commands about what the session does without asking. */
export const MODE_COMMANDS = defineCommands("Configuration", [
  {
    name: "approval-mode",
    args: "[ask|edits|plan|all|default]",
    description: "Show or set what runs without asking",
    async withSession(session, word, context) {
      const { approvals } = context.host.services.policy();
      if (word === "") {
        const now = modeOf(session.state.settings, approvals);
        const lines = SESSION_MODES.map(
          (each) => `${each === now ? "*" : " "} ${each.padEnd(6)} ${MODE_WORDS[each].description}`,
        );
        return done(
          [...lines, "/approval-mode <name> changes it, /approval-mode default returns to the owner's."].join(
            "\n",
          ),
        );
      }
      const wanted = modeNamed(word.toLowerCase());
      if (wanted === undefined && word !== "default")
        throw new HostError("command_usage", `Usage: /approval-mode ${SESSION_MODES.join("|")}|default`);
      await session.set({ mode: wanted ?? null });
      return done(`${said(modeOf(session.state.settings, approvals))}.`);
    },
  },
  {
    name: "plan",
    args: "[prompt|off]",
    description: "Only read, and end with a plan to accept",
    async withSession(session, argument, context) {
      if (argument === "off") return await leave(session, "plan", context);
      await session.set({ mode: "plan" });
      if (argument !== "") return { type: "send", message: argument, notice: said("plan") };
      return done(`${said("plan")}. /plan off leaves.`);
    },
  },
  {
    name: "yolo",
    args: "[on|off]",
    description: "Let this session's tools run without asking",
    async withSession(session, argument, context) {
      const on = switched(session.state.settings.mode === "all", argument, "/yolo [on|off]");
      if (!on) return await leave(session, "all", context);
      await session.set({ mode: "all" });
      return done(`${said("all")}. /yolo off leaves.`);
    },
  },
]);

const said = (chosen: SessionMode): string => `Mode ${chosen}: ${MODE_WORDS[chosen].description}`;

/** Returns to the owner's mode, if the session is in the one that is left. */
async function leave(
  session: Session,
  left: SessionMode,
  context: CommandContext,
): Promise<SlashCommandResult> {
  if (session.state.settings.mode === left) await session.set({ mode: null });
  return done(`${said(modeOf(session.state.settings, context.host.services.policy().approvals))}.`);
}

/** A switch as `on` or `off` sets it, and turned over without a word. @throws HostError `command_usage` */
export function switched(now: boolean, argument: string, usage: string): boolean {
  if (argument === "") return !now;
  if (argument === "on" || argument === "off") return argument === "on";
  throw new HostError("command_usage", `Usage: ${usage}`);
}
