import { HostError } from "../../shared/errors/host-error.ts";
import type { Session } from "../session.ts";
import type { CommandContext } from "./command.ts";

/** @throws HostError `session_not_found` when the client has no session open */
export function needSession({ session }: CommandContext, command: string): Session {
  if (session !== undefined) return session;
  throw new HostError("session_not_found", `/${command} needs a session: no active session.`);
}

/** @throws HostError `command_usage` when the argument is missing */
export function needArgument(argument: string, usage: string): string {
  if (argument !== "") return argument;
  throw new HostError("command_usage", `Usage: ${usage}`);
}
