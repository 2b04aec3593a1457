import { randomBytes } from "node:crypto";
import { readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Io } from "../../app/process/io.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { systemErrorCode } from "../../shared/errors/system-error.ts";
import type { DraftStore } from "../../tui/draft-store.ts";
import { type Written, withoutPastes } from "../../tui/input/written.ts";
import { WRITTEN, jsonOf } from "./written-json.ts";

/** Drafts of windows that are gone: so many at most, and none that is older. */
const MOST_LEFT = 50;
const OLDEST_MS = 30 * 24 * 3_600_000;

const DRAFT = z.object({ cwd: z.string(), session: z.string().optional(), draft: WRITTEN });

/** A file of a window: `<process>-<name>.json`, or `.new` while it is written. */
const NAME = /^(\d+)-[0-9a-f]+\.(json|new)$/;
/** In the place of the process: the window has ended, whatever its process does. */
const NO_PROCESS = "0";

type Drafts = Pick<DraftStore, "takeDraft" | "saveDraft" | "release">;
type Window = Pick<Io, "cwd" | "pid" | "machine">;

/** Keeps what a person is writing in a file for each window, for its owner's eyes only. */
export function homeDrafts(home: string, window: Window): Drafts {
  const folder = join(home, "tui", "drafts");
  const name = randomBytes(6).toString("hex");
  const own = join(folder, `${window.pid}-${name}.json`);
  const isOfThis = ({ cwd, session }: z.infer<typeof DRAFT>, wanted: string | undefined): boolean =>
    session === wanted && (session !== undefined || cwd === window.cwd);
  return {
    takeDraft(session) {
      for (const path of leftBehind(folder, { ...window, name })) {
        const left = draftIn(path);
        // Of several windows that want it, the one that renames it has it.
        if (left !== undefined && isOfThis(left, session) && done(() => renameSync(path, own)))
          return left.draft;
      }
      return oldDraft(home, own);
    },
    saveDraft(draft, session) {
      if (draft.text === "") return void done(() => rmSync(own, { force: true }));
      const fresh = own.replace(/json$/, "new");
      const content = JSON.stringify({ cwd: window.cwd, session, draft: jsonOf(draft) });
      done(() => {
        makeFolder(folder);
        writeFileSync(fresh, content, { mode: 0o600 });
        renameSync(fresh, own);
      });
    },
    release: () => void done(() => renameSync(own, join(folder, `${NO_PROCESS}-${name}.json`))),
  };
}

/** The drafts of windows that are gone, the newest first. What is too old or too much of them is removed. */
function leftBehind(folder: string, window: Window & { readonly name: string }): readonly string[] {
  const left = namesIn(folder)
    .flatMap((name) => {
      const [, pid = "", kind] = NAME.exec(name) ?? [];
      const path = join(folder, name);
      const at = changedAt(path);
      if (pid === "" || at === undefined || name.includes(window.name)) return [];
      return isOpen({ pid: Number(pid), at }, window) ? [] : [{ path, at, isWhole: kind === "json" }];
    })
    .toSorted((one, other) => other.at - one.at);
  const isKept = ({ at, isWhole }: (typeof left)[number], index: number): boolean =>
    isWhole && index < MOST_LEFT && Date.now() - at < OLDEST_MS;
  for (const [index, each] of left.entries())
    if (!isKept(each, index)) done(() => rmSync(each.path, { force: true }));
  return left.filter(isKept).map(({ path }) => path);
}

/** Whether the window of a file lives. Its process's number may have been given to another: to this one, or since the system's start. */
function isOpen({ pid, at }: { readonly pid: number; readonly at: number }, window: Window): boolean {
  if (pid === Number(NO_PROCESS) || pid === window.pid || at < Date.now() - uptime() * 1000) return false;
  try {
    window.machine.kill(pid, 0);
    return true;
  } catch (thrown) {
    return systemErrorCode(thrown) === "EPERM";
  }
}

/** The draft that all windows shared once; it is taken once. */
function oldDraft(home: string, own: string): Written | undefined {
  const path = `${own}.old`;
  try {
    makeFolder(join(home, "tui", "drafts"));
    renameSync(join(home, "tui", "draft.txt"), path);
    const text = readFileSync(path, "utf8");
    rmSync(path);
    return text === "" ? undefined : withoutPastes(text);
  } catch {
    // There is none, or another window has it.
    return undefined;
  }
}

function draftIn(path: string): z.infer<typeof DRAFT> | undefined {
  try {
    return DRAFT.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch {
    // Another window has taken it, or it cannot be read.
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing is kept yet.
    return [];
  }
}

const changedAt = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

/** Whether it could be done: a conversation goes on when the disk is full, only its draft is not kept. */
function done(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
