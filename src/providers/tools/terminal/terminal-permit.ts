import { homedir } from "node:os";
import { basename } from "node:path";
import { type Permit, type ToolContext, type ToolSession, textPart } from "../../../core/index.ts";
import type { Machine } from "../machine.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { BlockPlace } from "../command-policy/hard-block/hard-block.ts";
import { letOutAsItIs, outsideRule } from "../command-policy/outside-rules.ts";
import { judgeCommand } from "../command-policy/judge.ts";
import { namesSecret } from "../command-policy/names-secret.ts";
import { type CommandPlace, type UnaskedLine, unaskedLine } from "../command-policy/unasked.ts";
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

/** A command as the model asks for it. */
interface CommandRequest {
  readonly command: string;
  readonly outside?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly cwd?: string | undefined;
  readonly background?: boolean | undefined;
}

/** The place of a command, for the judge. */
function placeOf(cwd: string, session: ToolSession, tools: TerminalTools): BlockPlace & CommandPlace {
  const { machine, apart, tempDir } = tools;
  const path = commandEnvironment(tools)["PATH"] ?? "";
  return { ...surroundings(session, cwd, tools), platform: machine.platform, path, apart, tempDir };
}

/** Judges a command before it runs, and notes the request of one that may run unasked. */
export async function permitCommand(
  request: CommandRequest,
  { session }: Pick<ToolContext, "session">,
  tools: TerminalTools,
): Promise<Permit> {
  const { command, cwd = ".", background = false } = request;
  const site = await tools.sites.siteOf(session);
  if (site.place === "refused") return { verdict: "block", reason: `Not run: ${site.reason}` };
  await using directory = await openCwd(cwd, session, tools);
  // What goes on after its call is asked about: nobody waits to see what it does.
  const judgement = await judgeCommand(command, placeOf(directory.path, session, tools), {
    mayRunUnasked: !background,
  });
  switch (judgement.verdict) {
    case "allow":
      if (site.place === "outside") {
        tools.judged.unasked.add(request);
        return { verdict: "allow", names: judgement.names, readsOnly: true };
      }
      tools.judged.inside.add(request);
      // With a wall around it, it needs no other form than its own. But one in which it certainly reads only spares the looks
      // at the workspace before it and after it.
      if (site.sandbox.hasSystem !== true || !judgement.isPortable)
        return { verdict: "allow", names: judgement.names };
      tools.judged.unasked.add(request);
      return { verdict: "allow", names: judgement.names, readsOnly: true };
    case "block":
      return { verdict: "block", reason: `Not run, and it never will be: ${judgement.reason}.` };
    case "ask": {
      const { rules, parts, allowPermanent, unread, reasons, names } = judgement;
      const ask = {
        verdict: "ask",
        harmless: false,
        command,
        description: `Runs in ${directory.path}.`,
        patterns: rules,
        parts,
        folder: directory.path,
        reasons,
        ...(unread.length < 2 ? {} : { details: `What could not be judged: ${unread.join(", ")}.` }),
        names,
        allowPermanent,
        content: [textPart(command)],
        ...(namesSecret(command) ? { sensitive: true } : {}),
      } as const satisfies Permit;
      if (site.place === "outside") return withoutSandbox(ask, site.why);
      const leaves = request.outside === undefined ? judgement.leaves : [];
      if (request.outside === true || leaves.length > 0)
        return leaving(ask, request, { leaves, obeyed: tools.sites.obeyed(session.id) });
      tools.judged.inside.add(request);
      const description = `Runs in ${directory.path}, inside the sandbox.`;
      return { ...ask, harmless: true, place: "inside", description };
    }
  }
}

type Ask = Extract<Permit, { verdict: "ask" }>;

const withoutSandbox = (ask: Ask, why: string | undefined): Permit => ({
  ...ask,
  place: "outside",
  ...(why === undefined ? {} : { description: `${ask.description} There is no sandbox: ${why}` }),
});

/** The question of a command that would leave the sandbox. Its rules are others: one that lets it run inside does not let it out. */
function leaving(
  ask: Ask,
  { reason }: CommandRequest,
  { leaves, obeyed }: Readonly<Record<"leaves" | "obeyed", readonly string[]>>,
): Permit {
  const { patterns, parts = [], names = [], description } = ask;
  const said =
    reason === undefined || reason.trim() === ""
      ? ""
      : ` The agent says why: ${reason.replace(/\s+/g, " ").trim()}`;
  return {
    ...ask,
    place: "outside",
    leaves: true,
    description: `Would run outside the sandbox, with all that you may do. ${description}${said}`,
    // What an earlier answer let out is no longer what would run: hooks and settings may be the agent's by now.
    patterns: obeyed.length > 0 ? [] : [...new Set(patterns.map(outsideRule))],
    parts: obeyed.length > 0 ? [] : parts.map(outsideRules),
    names: [...names, ...names.map(outsideRule)],
    reasons: [
      ...(leaves.length > 0 ? leaves : ["asks to leave the sandbox", ...(ask.reasons ?? [])]),
      ...(obeyed.length > 0
        ? [`may obey what commands of this session have changed: ${obeyed.slice(0, 3).join(", ")}`]
        : []),
    ],
  };
}

/** The rules that let out what some rules allow inside: of each the usual one, and itself. */
const outsideRules = (rules: readonly string[]): readonly string[] => [
  ...new Set([...rules.map(outsideRule), ...rules.map(letOutAsItIs)]),
];

/**
 * The form in which a request runs that nobody was asked about, made for the files as they are now; `undefined` for one that
 * somebody allowed, which runs as it is.
 *
 * @param cwd - absolute real path
 * @throws HostError `tool_failed` when the files are such by now that it has to be asked about
 */
export async function unaskedFormOf(
  request: CommandRequest,
  { session, cwd }: { readonly session: ToolSession; readonly cwd: string },
  tools: TerminalTools,
): Promise<UnaskedLine | undefined> {
  if (!tools.judged.unasked.has(request)) return undefined;
  const line = await unaskedLine(request.command, placeOf(cwd, session, tools));
  if (line !== undefined) return line;
  throw new HostError(
    "tool_failed",
    "Not run: the files that it reads have changed since it was let pass; try again",
  );
}
