import { homedir } from "node:os";
import { basename } from "node:path";
import { type Permit, type ToolSession, textPart } from "../../../core/index.ts";
import type { Machine } from "../machine.ts";
import type { CommandPlace } from "../shell/forbidden.ts";
import { judgeCommand } from "../shell/judge.ts";
import { childEnvironment } from "../spawn/environment.ts";
import { openCwd, type TerminalTools } from "./shell-run.ts";

/** What the judges of commands have to know of the place where one would run. */
export function surroundings(session: ToolSession, cwd: string, tools: TerminalTools): CommandPlace {
  const { machine, environment } = tools;
  return surroundingsOn(machine, { cwd, roots: session.roots, ...(environment && { environment }) });
}

/** The same for a place that belongs to no session. */
export function surroundingsOn(
  machine: Machine,
  place: Pick<CommandPlace, "cwd" | "roots"> & { readonly environment?: readonly string[] },
): CommandPlace {
  const { cwd, roots, environment } = place;
  return {
    cwd,
    roots,
    home: machine.env["HOME"] ?? homedir(),
    pid: machine.pid,
    hostNames: hostNames(machine),
    environment: childEnvironment(machine.env, environment),
  };
}

/** Names of the host's process, and last its command line. */
function hostNames({ execPath, argv }: Machine): readonly string[] {
  return ["node", "agent", basename(execPath), argv.join(" ")];
}

/** Judges a command before it runs. */
export async function permitCommand(
  { command, cwd = "." }: { readonly command: string; readonly cwd?: string | undefined },
  session: ToolSession,
  tools: TerminalTools,
): Promise<Permit> {
  await using directory = await openCwd(cwd, session, tools);
  const judgement = await judgeCommand(command, {
    ...surroundings(session, directory.path, tools),
    platform: tools.machine.platform,
  });
  switch (judgement.verdict) {
    case "allow":
      return { verdict: "allow" };
    case "block":
      return { verdict: "block", reason: `Not run, and it never will be: ${judgement.reason}.` };
    case "ask": {
      const { harmless, patterns, allowPermanent, unread } = judgement;
      const doubt =
        unread.length === 0 ? "" : ` It could not be judged completely because of ${unread.join(", ")}.`;
      return {
        verdict: "ask",
        harmless,
        command,
        description: `Runs in ${directory.path}.${doubt}`,
        patterns,
        allowPermanent,
        content: [textPart(command)],
      };
    }
  }
}
