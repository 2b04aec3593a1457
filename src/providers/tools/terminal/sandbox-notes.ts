import type { SandboxFindings } from "../sandbox/port.ts";

/** Files that are named in a note. */
const MOST = 5;
/** What programs say when the wall stops them. */
const STOPPED =
  /read-only file system|permission denied|operation not permitted|EROFS|EACCES|EPERM|could not resolve host|network is unreachable|ENETUNREACH|EAI_AGAIN|proxy CONNECT aborted/i;

/**
 * Notes for the model on what the sandbox refused to a command or took from it, and how to ask for it.
 *
 * @param failed - what it printed, when it failed
 * @param ways - for models by default
 */
export function sandboxNotes(
  { refusedHosts, disarmed, obeyed }: SandboxFindings,
  failed: string | undefined,
  { host, outside }: NoteWays = FOR_MODELS,
): readonly string[] {
  const hosts = named(refusedHosts.filter(({ reason }) => reason === "unlisted").map(hostWords));
  const inner = named(refusedHosts.filter(({ reason }) => reason === "private").map(hostWords));
  const taken = disarmed.slice(0, MOST).map(({ path, what }) => `${path}: ${what}`);
  const notes = [
    hosts === ""
      ? undefined
      : `the sandbox refused connections to ${hosts}: nobody has allowed them. ${host}`,
    inner === ""
      ? undefined
      : `the sandbox refused connections to ${inner}, which are this machine or a private network. ${outside}`,
    taken.length === 0
      ? undefined
      : `the sandbox took back what would have run outside later: ${taken.join("; ")}`,
    obeyed.length === 0
      ? undefined
      : `the user is told that this changed files which programs outside obey by themselves: ${named(obeyed)}`,
    hosts + inner === "" && failed !== undefined && STOPPED.test(failed)
      ? `it ran in the sandbox, which writes only the workspace and /tmp, has a home of its own without keys, and reaches allowed hosts only. If that is why it failed: ${outside}`
      : undefined,
  ];
  return notes.filter((note) => note !== undefined);
}

/** The ways to what was refused, in words: to a host, and out of the sandbox. */
interface NoteWays {
  readonly host: string;
  readonly outside: string;
}

const ASK = "To ask for this command outside, call again with `outside: true` and a `reason`";

const FOR_MODELS: NoteWays = {
  host: `The user can allow them with /sandbox allow <host>. ${ASK}`,
  outside: ASK,
};

const hostWords = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  port === 443 || port === 80 ? host : `${host}:${port}`;

function named(all: readonly string[]): string {
  const unique = [...new Set(all)];
  const rest = unique.length - MOST;
  return unique.slice(0, MOST).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
