import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CheckpointEngine } from "../../../src/providers/checkpoints/engine.ts";
import type { EngineOptions } from "../../../src/providers/checkpoints/engine-options.ts";
import { ownerMark } from "../../../src/providers/checkpoints/owner.ts";

/** A workspace, a home, and an engine between them. */
export interface Place extends Disposable {
  readonly top: string;
  readonly root: string;
  readonly home: string;
  readonly engine: CheckpointEngine;
  /** Another engine on the same home, as another process has it. */
  another(options?: Partial<EngineOptions>): CheckpointEngine;
}

/** An engine of this process whose bound is never met. */
export function plainEngine(home: string, options: Partial<EngineOptions> = {}): CheckpointEngine {
  return new CheckpointEngine({
    home,
    apart: [home],
    personHome: "/nowhere",
    maxBytes: 1_000_000_000,
    byHandle: process.platform === "linux",
    owner: ownerMark(process.pid),
    now: Date.now,
    ...options,
  });
}

export function makePlace(options: Partial<EngineOptions> = {}): Place {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "checkpoints-")));
  const [root, home] = [join(top, "work"), join(top, "home")];
  mkdirSync(root);
  mkdirSync(home, { mode: 0o700 });
  const engines: CheckpointEngine[] = [];
  const another = (more: Partial<EngineOptions> = {}): CheckpointEngine => {
    const engine = plainEngine(home, { ...options, ...more });
    engines.push(engine);
    return engine;
  };
  return {
    top,
    root,
    home,
    engine: another(),
    another,
    [Symbol.dispose]() {
      for (const engine of engines) engine.close();
      openAll(top);
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** The whole first look. */
export function lookFirst(engine: CheckpointEngine, root: string): void {
  while (!engine.readMore([root]));
}

let cursors = 1;

/** A change as the core announces it: `work` is the command. */
export function command(
  place: { readonly engine: CheckpointEngine; readonly root: string },
  { session = "s", turn }: { readonly session?: string; readonly turn: string },
  work: () => void,
): number {
  const cursor = (cursors += 10);
  const mark = place.engine.before({ session, turnId: turn, cursor, roots: [place.root], label: turn }, []);
  work();
  place.engine.after(mark, false);
  return cursor;
}

export function edit(
  place: { readonly engine: CheckpointEngine; readonly root: string },
  change: { readonly session?: string; readonly turn: string; readonly paths: readonly string[] },
  work: () => void,
): number {
  const { session = "s", turn, paths } = change;
  const cursor = (cursors += 10);
  const mark = place.engine.before(
    {
      session,
      turnId: turn,
      cursor,
      roots: [place.root],
      label: turn,
      paths: paths.map((path) => join(place.root, path)),
    },
    [],
  );
  work();
  place.engine.after(mark, false);
  return cursor;
}

export const nextCursor = (): number => (cursors += 10);

/** All that lies below a folder: kinds, modes, contents, by path. */
export function treeOf(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = (folder: Buffer, shown: string): void => {
    for (const name of readdirSync(folder, { encoding: "buffer" })) {
      const path = Buffer.concat([folder, Buffer.from("/"), name]);
      const key = shown === "" ? name.toString("latin1") : `${shown}/${name.toString("latin1")}`;
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found[key] = `-> ${readlinkSync(path, { encoding: "latin1" })}`;
      else if (stat.isDirectory()) {
        found[key] = `folder ${mode}`;
        visit(path, key);
      } else if (stat.isFile()) found[key] = `${mode} ${readFileSync(path, "latin1")}`;
      else found[key] = "special";
    }
  };
  if (existsSync(root)) visit(Buffer.from(root), "");
  return found;
}

/** Lets everything be deleted again. */
function openAll(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) openAll(join(folder, entry.name));
}
