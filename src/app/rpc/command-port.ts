import type { Clock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { imageTypeOf } from "../../shared/content/image-header.ts";
import {
  type BackgroundProcesses,
  type Machine,
  type RunEnd,
  runForPerson,
  runToEnd,
  type Spawner,
} from "../../providers/tools/index.ts";
import { LARGEST_ATTACHED_IMAGE } from "../../rpc/handlers/attachments/images.ts";
import type { CommandPort } from "../../rpc/ports.ts";

/** The services that the command port uses. */
export interface CommandPortOptions {
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly background?: Pick<BackgroundProcesses, "front">;
  readonly stopProcesses: (sessionId?: string) => Promise<number>;
}

const BYTES_PER_CHARACTER = 4;
const CLIPBOARD_MS = 10_000;

/** Other programs, for the gateway. */
export function commandPort(options: CommandPortOptions): CommandPort {
  const { machine, stopProcesses } = options;
  return {
    shell: (command, wanted) => runForPerson(options, { command, ...wanted }),
    async agent(argv, { cwd, timeoutMs, keep, signal }) {
      const [, script = ""] = machine.argv;
      const end = await runToEnd(options, {
        file: machine.execPath,
        args: [script, ...argv],
        cwd,
        // It is this same program: it may see the keys that this one sees.
        env: defined(machine.env),
        label: `agent ${argv.join(" ")}`.slice(0, 80),
        timeoutMs,
        keep: { head: keep * BYTES_PER_CHARACTER, tail: 0 },
        signal,
      });
      return { code: end.code, stdout: textOf(end.stdout), stderr: textOf(end.stderr) };
    },
    clipboardImage: (signal) => clipboardImage(options, signal),
    stopProcesses,
  };
}

const textOf = (output: RunEnd["stdout"]): string => Buffer.from(output.ends().head).toString("utf8");

/** A program that writes the image in the clipboard to its output. */
interface Reader {
  readonly file: string;
  readonly args: readonly string[];
  /** It can be of use here. */
  readonly here: (machine: Machine) => boolean;
}

const READERS: readonly Reader[] = [
  {
    file: "wl-paste",
    args: ["--no-newline", "--type", "image/png"],
    here: ({ env }) => Boolean(env["WAYLAND_DISPLAY"]),
  },
  {
    file: "xclip",
    args: ["-selection", "clipboard", "-target", "image/png", "-out"],
    here: ({ env }) => Boolean(env["DISPLAY"]),
  },
  { file: "pngpaste", args: ["-"], here: ({ platform }) => platform === "darwin" },
];

async function clipboardImage(
  options: CommandPortOptions,
  signal: AbortSignal,
): ReturnType<CommandPort["clipboardImage"]> {
  const { machine } = options;
  let asked = false;
  for (const { file, args, here } of READERS) {
    if (!here(machine)) continue;
    const end = await runToEnd(options, {
      file,
      args,
      cwd: "/",
      label: file,
      timeoutMs: CLIPBOARD_MS,
      keep: { head: LARGEST_ATTACHED_IMAGE + 1, tail: 0 },
      signal,
    }).catch(missingOnly);
    if (end === undefined) continue;
    asked = true;
    const bytes = Uint8Array.from(end.stdout.ends().head);
    const mediaType = end.code === 0 ? imageTypeOf(bytes) : undefined;
    if (mediaType !== undefined && bytes.byteLength <= LARGEST_ATTACHED_IMAGE) {
      return { path: `clipboard.${mediaType.slice("image/".length)}`, bytes, mediaType };
    }
  }
  if (asked) return undefined;
  throw new HostError(
    "tool_failed",
    "The clipboard of this machine cannot be read: there is no desktop, or no wl-paste, xclip or pngpaste.",
  );
}

/** A program that is not installed is no reader; what else fails is told. */
function missingOnly(thrown: unknown): undefined {
  if (thrown instanceof HostError && thrown.code === "tool_failed") return undefined;
  throw thrown;
}
