import type { ToolAnswer, ToolQuestion, ToolSession } from "../../../core/index.ts";
import type { Sandbox, SandboxFindings } from "../sandbox/port.ts";

/** The place where the commands of a session run now. */
export type CommandSite =
  | { readonly place: "inside"; readonly sandbox: Sandbox }
  /** As the user. `why`, a sentence or two, is there when it is to be told that there is no sandbox. */
  | { readonly place: "outside"; readonly why?: string }
  /** Nowhere: a sentence or two says why, and what to do. */
  | { readonly place: "refused"; readonly reason: string };

/** The way of a running call to people. */
export interface CallAsker {
  /** The command that it runs. */
  readonly command: string;
  readonly ask: (question: ToolQuestion) => Promise<ToolAnswer>;
}

/** The one that decides where commands run. */
export interface CommandSites {
  siteOf(session: Pick<ToolSession, "id" | "platform" | "roots">): Promise<CommandSite>;
  /** Keeps what a program of a session met at the wall, or left behind. */
  note(session: string, findings: SandboxFindings): void;
  /** Files that programs outside obey, and that the session's commands have changed. */
  obeyed(session: string): readonly string[];
  /** Lets a running call ask for the hosts that its session's programs want to reach, until it is disposed. */
  asking(session: string, asker: CallAsker): Disposable;
  /** Closes the sandbox of a session that is over. */
  close(session: string): Promise<void>;
}

/** All commands run as the user. */
export const OUTSIDE_ONLY: CommandSites = {
  siteOf: () => Promise.resolve({ place: "outside" }),
  note: () => undefined,
  obeyed: () => [],
  close: () => Promise.resolve(),
  asking: () => ({ [Symbol.dispose]: () => undefined }),
};

/** The decisions about calls before they run, by their input: one and the same object. */
export interface JudgedCalls {
  /** Nobody was asked: they run in the form that was judged. */
  readonly unasked: WeakSet<object>;
  /** They run in the sandbox. */
  readonly inside: WeakSet<object>;
}
