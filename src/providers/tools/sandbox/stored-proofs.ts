import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { readFile, readlink, realpath, stat } from "node:fs/promises";
import { release, version as systemVersion } from "node:os";
import { dirname } from "node:path";
import { makeFolder } from "../../../shared/files/make-folder.ts";
import { replaceFile } from "../../../shared/files/replace-file.ts";
import { canonicalJson, isJsonObject } from "../../../shared/json/json.ts";
import type { Machine } from "../machine.ts";
import { childEnvironment } from "../spawn/environment.ts";
import { ownUser } from "./own-user.ts";
import type { SandboxEngine, SandboxPolicy } from "./policy.ts";

/** The parts with which proofs are kept. */
export interface StoredProofsOptions {
  /** The file; its folder is made. It must lie where no command and no file tool of a session can write: in the home. */
  readonly file: string;
  /** The version of the program that builds the walls and tries them. */
  readonly program: string;
  readonly machine: Machine;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The hash of everything on which the walls of a proof stand. */
export type ProofMarks = string;

const DAY_MS = 24 * 3_600_000;
/** Proofs that are kept: one for each set of settings that was used lately. */
const MOST = 8;
const LARGEST_FILE = 16 * 1024;

interface StoredProof {
  readonly marks: ProofMarks;
  /** Unix milliseconds of the proof. */
  readonly at: number;
}

/**
 * The proofs of earlier processes that the walls hold here, for a day. A proof only spares the next process from trying the
 * same escapes again: commands run in the same walls with it and without. It counts for exactly the machine, boot, user,
 * namespaces, programs and settings for which it was made.
 */
export class StoredProofs {
  readonly #options: StoredProofsOptions;

  constructor(options: StoredProofsOptions) {
    this.#options = options;
  }

  /** The marks of walls as they would be built now; `undefined` where not all of them can be read, or nothing is kept. */
  async marks(engine: SandboxEngine, policy: SandboxPolicy): Promise<ProofMarks | undefined> {
    if (engine.kind !== "bubblewrap") return undefined;
    const { program, machine } = this.#options;
    const { home, apart, tempDir, readable = [], limits = {} } = policy;
    try {
      const seen = {
        program,
        kernel: [release(), systemVersion(), await readFile("/proc/sys/kernel/random/boot_id", "utf8")],
        namespaces: await Promise.all(NAMESPACES.map((name) => readlink(`/proc/self/ns/${name}`))),
        process: rights(await readFile("/proc/self/status", "utf8")),
        label: await readFile("/proc/self/attr/current", "utf8").catch(() => ""),
        engine: { ...engine },
        files: await Promise.all([engine.file, engine.first.file, "/bin/sh"].map(fileMarks)),
        policy: { home, apart, tempDir, readable, limits: { ...limits } },
        path: childEnvironment(machine.env)["PATH"] ?? "",
      };
      return createHash("sha256").update(canonicalJson(seen)).digest("hex");
    } catch {
      // What cannot be looked at cannot be known to be the same.
      return undefined;
    }
  }

  /** Whether these walls were proved within the last day. */
  has(marks: ProofMarks): boolean {
    return this.#read().some((proof) => proof.marks === marks);
  }

  /** Keeps a proof. Where nothing can be written, the next process proves again. */
  keep(marks: ProofMarks): void {
    this.#write([{ marks, at: this.#options.now() }, ...this.#without(marks)]);
  }

  /** Takes a proof back. */
  drop(marks: ProofMarks): void {
    if (this.has(marks)) this.#write(this.#without(marks));
  }

  #without(marks: ProofMarks): readonly StoredProof[] {
    return this.#read().filter((proof) => proof.marks !== marks);
  }

  #read(): readonly StoredProof[] {
    const now = this.#options.now();
    try {
      const value: unknown = JSON.parse(ownText(this.#options.file));
      const list: unknown = isJsonObject(value) ? value["proofs"] : undefined;
      return Array.isArray(list)
        ? list.filter(isProof).filter(({ at }) => at <= now && now - at < DAY_MS)
        : [];
    } catch {
      // None was kept yet, or what is there is not ours.
      return [];
    }
  }

  #write(proofs: readonly StoredProof[]): void {
    const { file } = this.#options;
    try {
      makeFolder(dirname(file));
      replaceFile(file, `${JSON.stringify({ proofs: proofs.slice(0, MOST) })}\n`, 0o600);
    } catch {
      // A proof that is not kept costs the next process a moment.
    }
  }
}

const NAMESPACES = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];

/** The lines of a process's status that say who it is and what the system lets it do. */
const rights = (status: string): readonly string[] =>
  status.split("\n").filter((line) => /^(?:Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp\w*):/.test(line));

/** The marks of a program: another file, or the same with other content, has others. */
async function fileMarks(path: string): Promise<readonly string[]> {
  const real = await realpath(path);
  const { dev, ino, size, mode, uid, mtimeNs, ctimeNs } = await stat(real, { bigint: true });
  return [real, ...[dev, ino, size, mode, uid, mtimeNs, ctimeNs].map(String)];
}

/** Reads a file that nobody but this user could have written. */
function ownText(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    const isOurs = found.isFile() && found.uid === ownUser().uid && (found.mode & 0o077) === 0;
    if (!isOurs || found.size > LARGEST_FILE) throw new Error(`${path} is not a file of ours`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

const isProof = (value: unknown): value is StoredProof =>
  isJsonObject(value) && typeof value["marks"] === "string" && typeof value["at"] === "number";
