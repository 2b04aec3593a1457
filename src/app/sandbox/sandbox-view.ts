import type { RefusedHost } from "../../providers/tools/index.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { hostEntryOf } from "./host-questions.ts";

/** The view that people get of the place where a session's commands run. */
export interface SandboxView {
  /** `inside` the sandbox, `outside` as the user, or `refused`. */
  readonly commands: "inside" | "outside" | "refused";
  /** Why they do not run inside: a sentence or more; empty when they do. */
  readonly why: string;
  /** Absolute. */
  readonly roots: readonly string[];
  readonly hosts: readonly string[];
  /** Those of `hosts` that hold for this session alone. */
  readonly sessionHosts: readonly string[];
  readonly readable: readonly string[];
  readonly refusedHosts: readonly RefusedHost[];
  /** Files that programs outside obey, and that commands of the session have changed. */
  readonly obeyed: readonly string[];
  /** What was taken back of what commands left behind, a line each. */
  readonly disarmed: readonly string[];
  /** What this wall cannot do on this machine, a sentence each. */
  readonly gaps: readonly string[];
}

const WHERE: Readonly<Record<SandboxView["commands"], string>> = {
  inside: "Commands run inside the sandbox, unasked in mode edits.",
  outside: "Commands run outside a sandbox, as you, and ask first.",
  refused: "Commands are refused.",
};

/** Words of a view, as lines. */
export function viewLines(view: SandboxView): readonly string[] {
  const lines = [WHERE[view.commands], view.why];
  if (view.commands === "inside") {
    const hosts = view.hosts.map((host) =>
      view.sessionHosts.includes(host) ? `${host} (this session)` : host,
    );
    lines.push(
      `Written:  ${[...view.roots, "/tmp (of the session)"].join(", ")}`,
      `Read:     ${["the system and programs", ...view.readable].join(", ")}`,
      `Reached:  ${hosts.join(", ") || "no host; one that is wanted is asked about"}`,
      ...view.gaps.map((gap) => `Not here: ${gap}`),
    );
  }
  return [
    ...lines,
    ...view.refusedHosts.map(
      (refused) =>
        `Refused:  ${hostEntryOf(refused)}${refused.reason === "private" ? ", of this machine or a private network," : ""} at ${localTime(refused.at)}`,
    ),
    ...view.disarmed.map((taken) => `Taken out: ${taken}`),
    ...view.obeyed.map((path) => `Changed, and obeyed outside: ${path}`),
    "/sandbox allow <host>, remove <host>, on and off change it for this session.",
  ].filter((line) => line !== "");
}
