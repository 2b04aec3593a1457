import { homedir } from "node:os";
import { basename } from "node:path";
import { type Permit, type ToolContext, type ToolSession, textPart } from "../../../core/index.ts";
import type { Machine } from "../machine.ts";
import type { BlockPlace } from "../command-policy/hard-block/hard-block.ts";
import { judgeCommand } from "../command-policy/judge.ts";
import { childEnvironment } from "../spawn/environment.ts";
import { commandEnvironment, openCwd, type TerminalTools } from "./shell-run.ts";

/** What the judges of commands have to know of the place where one would run. */
export function surroundings(session: ToolSession, cwd: string, tools: TerminalTools): BlockPlace {
  const { machine, environment, home } = tools;
  return surroundingsOn(machine, { cwd, home, roots: session.roots, ...(environment && { environment }) });
}

/** The same for a place that belongs to no session. */
export function surroundingsOn(
  machine: Machine,
  place: Pick<BlockPlace, "cwd" | "roots"> &
    Partial<Pick<BlockPlace, "home">> & { readonly environment?: readonly string[] },
): BlockPlace {
  const { cwd, roots, environment } = place;
  return {
    cwd,
    roots,
    home: place.home ?? machine.env["HOME"] ?? homedir(),
    pid: machine.pid,
    hostNames: hostNames(machine),
    environment: childEnvironment(machine.env, environment),
  };
}

/** Names of the host's process, and last its command line. */
function hostNames({ execPath, argv }: Machine): readonly string[] {
  return ["node", "agent", basename(execPath), argv.join(" ")];
}

interface CommandRequest {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly background?: boolean | undefined;
}

/** Judges a command before it runs. A line that may run unasked is kept for the call, in the form in which it runs. */
export async function permitCommand(
  { command, cwd = ".", background = false }: CommandRequest,
  { session, callId }: Pick<ToolContext, "session" | "callId">,
  tools: TerminalTools,
): Promise<Permit> {
  const { machine, apart, tempDir } = tools;
  await using directory = await openCwd(cwd, session, tools);
  const place = {
    ...surroundings(session, directory.path, tools),
    platform: machine.platform,
    path: commandEnvironment(tools)["PATH"] ?? "",
    apart,
    tempDir,
  };
  // The others are made for a command that ends with its call.
  const judgement = await judgeCommand(command, place, { unasked: !background });
  switch (judgement.verdict) {
    case "allow":
      tools.unasked.set(callId, judgement.line);
      return { verdict: "allow" };
    case "block":
      return { verdict: "block", reason: `Not run, and it never will be: ${judgement.reason}.` };
    case "ask": {
      const { rules, allowPermanent, unread } = judgement;
      const doubt =
        unread.length === 0 ? "" : ` It could not be judged completely because of ${unread.join(", ")}.`;
      return {
        verdict: "ask",
        harmless: false,
        command,
        description: `Runs in ${directory.path}.${doubt}`,
        patterns: rules,
        allowPermanent,
        content: [textPart(command)],
      };
    }
  }
}
