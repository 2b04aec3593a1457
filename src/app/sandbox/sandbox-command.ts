import { defineCommands, done, type Session, type SlashCommand } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { viewLines } from "./sandbox-view.ts";
import type { SessionSandboxes } from "./session-sandboxes.ts";

const USAGE = "Usage: /sandbox [allow <host>|remove <host>|on|off]";

/** The command `/sandbox`: what a session's commands may do, what was refused, and changes for the session. */
export const sandboxCommand = (sandboxes: SessionSandboxes): readonly SlashCommand[] =>
  defineCommands("Configuration", [
    {
      name: "sandbox",
      args: "[allow <host>|remove <host>|on|off]",
      description: "Show what commands may reach and what was refused, or change it for this session",
      withSession: async (session, argument) => done(await carriedOut(sandboxes, session, argument)),
    },
  ]);

async function carriedOut(sandboxes: SessionSandboxes, session: Session, argument: string): Promise<string> {
  const { id } = session;
  const { platform, roots } = await session.refresh();
  const [verb = "", host = "", ...more] = argument.trim().split(/\s+/);
  if (more.length > 0) throw new HostError("command_usage", USAGE);
  switch (verb.toLowerCase()) {
    case "":
      return viewLines(await sandboxes.view({ id, platform, roots })).join("\n");
    case "allow":
      if (host === "") throw new HostError("command_usage", USAGE);
      sandboxes.allow(id, host);
      return `Commands of this session reach ${host}, until this process ends. In all sessions: /approvals allow reach:${host}`;
    case "remove":
      if (host === "") throw new HostError("command_usage", USAGE);
      sandboxes.forbid(id, host);
      return `Commands of this session no longer reach ${host}, unless a rule allows it.`;
    case "off":
      sandboxes.switchOff(id, true);
      return "Commands of this session run outside the sandbox, as you, and ask first. /sandbox on takes that back.";
    case "on":
      sandboxes.switchOff(id, false);
      return viewLines(await sandboxes.view({ id, platform, roots })).join("\n");
    default:
      throw new HostError("command_usage", USAGE);
  }
}
