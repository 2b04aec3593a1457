import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import type { ToolContext } from "../../../core/index.ts";
import type { Machine } from "../machine.ts";
import { findProgram } from "../spawn/find-program.ts";
import { SecretFilter } from "./secret-filter.ts";

/** The extras of a command that uses sudo: variables, and a filter that hides the password. */
export interface SudoHelp extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  /** Takes the passwords that were given out of what the command prints. */
  readonly filter: SecretFilter;
  /** Why sudo got no password, each time that happened. */
  readonly refusals: readonly string[];
}

/** Options of the help for sudo. */
export interface SudoOptions {
  readonly context: ToolContext;
  readonly command: string;
  readonly machine: Machine;
  readonly tempDir: string;
  /** Where the command looks for programs. */
  readonly path: string;
}

/** The program that sudo runs when it wants a password: it fetches one from the host and prints it. */
const ASKPASS = `
const socket = require("node:net").connect(process.argv[2]);
socket.on("data", (chunk) => process.stdout.write(chunk));
socket.on("error", () => process.exit(1));
`;

/**
 * Lets sudo ask the user for the password, when and only when it wants one. The password goes from the answer to sudo
 * over a socket in a private directory: it is in no argument, no variable and no file, and is hidden in the output.
 * Resolves `undefined` when the command has nothing to do with sudo, or there is none.
 */
export async function helpSudo(options: SudoOptions): Promise<SudoHelp | undefined> {
  const { command, path, tempDir } = options;
  if (!/\bsudo\b/.test(command)) return undefined;
  const sudo = findProgram("sudo", path);
  if (sudo === undefined) return undefined;
  const directory = await mkdtemp(join(tempDir, "agent-sudo-"));
  const counter = new Counter(options);
  try {
    await counter.open(join(directory, "socket"));
    const env = await writePrograms(directory, sudo, options);
    return {
      env,
      filter: counter.filter,
      refusals: counter.refusals,
      async [Symbol.asyncDispose]() {
        await counter.close();
        await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await counter.close();
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Where the helper program comes for a password. */
class Counter {
  readonly filter = new SecretFilter();
  readonly refusals: string[] = [];
  readonly #options: SudoOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: SudoOptions) {
    this.#options = options;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      // Whoever came is gone again; there is nobody to tell.
      socket.on("error", () => socket.destroy());
      void this.#serve(socket);
    });
  }

  async open(path: string): Promise<void> {
    this.#server.listen(path);
    await once(this.#server, "listening");
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(socket: Socket): Promise<void> {
    const { context, command } = this.#options;
    const answer = await context.ask({ kind: "sudo", command });
    if (answer.outcome === "answered") {
      this.filter.add(answer.text);
      socket.end(`${answer.text}\n`);
    } else {
      this.refusals.push(answer.outcome === "expired" ? "nobody answered in time" : answer.reason);
      socket.end();
    }
  }
}

async function writePrograms(
  directory: string,
  sudo: string,
  { machine, path }: SudoOptions,
): Promise<Readonly<Record<string, string>>> {
  const [helper, askpass, bin] = ["askpass.cjs", "askpass", "bin"].map((name) => join(directory, name));
  if (helper === undefined || askpass === undefined || bin === undefined) return {};
  await writeFile(helper, ASKPASS);
  const node = [machine.execPath, helper, join(directory, "socket")].map(quote).join(" ");
  await writeProgram(askpass, `exec ${node}\n`);
  await mkdir(bin);
  // Without a terminal sudo asks the helper only when told to; whoever reads the password from its input knows why.
  await writeProgram(
    join(bin, "sudo"),
    `case " $* " in *" -S "*|*" --stdin "*) exec ${quote(sudo)} "$@";; esac\nexec ${quote(sudo)} -A "$@"\n`,
  );
  return { SUDO_ASKPASS: askpass, PATH: `${bin}:${path}` };
}

async function writeProgram(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}`);
  await chmod(path, 0o700);
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
