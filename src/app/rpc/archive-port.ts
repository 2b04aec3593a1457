import { randomBytes } from "node:crypto";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import type { ArchivePort } from "../../rpc/index.ts";
import type { SpawnTreeEntry } from "../../rpc/protocol/processes.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";

const TreeFile = z.object({
  session_id: z.string(),
  started_at: z.number().nullable(),
  finished_at: z.number(),
  label: z.string(),
  subagents: z.array(z.record(z.string(), z.unknown())),
});

type Tree = z.output<typeof TreeFile>;

/** Keeps pastes, images, exports and records of subagents for clients of the gateway, in folders of the home. */
export function archivePort(home: string): ArchivePort {
  const folders = {
    pastes: join(home, "pastes"),
    images: join(home, "images"),
    exports: join(home, "exports"),
    trees: join(home, "spawn-trees"),
  };
  return {
    savePaste: (text) => save(folders.pastes, `paste_${unique()}.txt`, text),
    async loadPaste(path) {
      const inside = await realPathIn(folders.pastes, path);
      return inside === undefined ? undefined : await readFile(inside, "utf8").catch(() => undefined);
    },
    saveImage: (bytes, name) => save(folders.images, `${unique()}_${fileName(name)}`, bytes),
    saveConversation: (id, content) => save(folders.exports, `${fileName(id)}_${unique()}.json`, content),
    saveTree: (tree) =>
      save(join(folders.trees, fileName(tree.session_id)), `${timeName(tree)}.json`, JSON.stringify(tree)),
    async listTrees({ sessionId, limit }) {
      const names = sessionId === undefined ? await namesIn(folders.trees) : [fileName(sessionId)];
      const found = await Promise.all(names.map((name) => treeFilesIn(join(folders.trees, name))));
      return await newestTrees(found.flat(), limit);
    },
    async loadTree(path) {
      const inside = await realPathIn(folders.trees, path);
      if (inside === undefined) {
        throw new HostError(
          "outside_workspace",
          `${path} is no record of subagents: spawn_tree.list names them.`,
        );
      }
      return await readTree(inside);
    },
  };
}

function save(folder: string, name: string, content: string | Uint8Array): Promise<string> {
  makeFolder(folder);
  const path = join(folder, name);
  replaceFile(path, content, 0o600);
  return Promise.resolve(path);
}

const unique = (): string => randomBytes(4).toString("hex");

/** A name that stays in its folder, whatever was asked for. */
function fileName(name: string): string {
  const plain = basename(name)
    .replaceAll(/[^\w.-]+/g, "_")
    .replace(/^\.+/, "")
    .slice(-100);
  return plain === "" ? "file" : plain;
}

/** The time comes first: which files are the newest is known without reading them. */
const timeName = ({ finished_at }: Tree): string => `${Math.round(finished_at * 1000)}_${unique()}`;

interface TreeFileName {
  readonly path: string;
  readonly finishedMs: number;
}

const namesIn = async (folder: string): Promise<readonly string[]> => await readdir(folder).catch(() => []);

async function treeFilesIn(folder: string): Promise<readonly TreeFileName[]> {
  const files = (await namesIn(folder)).filter((name) => name.endsWith(".json"));
  return files.map((name) => ({ path: join(folder, name), finishedMs: Number(name.split("_", 1)[0]) || 0 }));
}

async function newestTrees(
  files: readonly TreeFileName[],
  limit: number,
): Promise<readonly SpawnTreeEntry[]> {
  const entries: SpawnTreeEntry[] = [];
  for (const { path } of files.toSorted((a, b) => b.finishedMs - a.finishedMs)) {
    if (entries.length === limit) break;
    // One that cannot be read is not in the way of the others.
    const tree = await readTree(path).catch(() => undefined);
    if (tree === undefined) continue;
    const { subagents, ...entry } = tree;
    entries.push({ path, ...entry, count: subagents.length });
  }
  return entries;
}

async function readTree(path: string): Promise<Tree> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) throw new HostError("not_found", `There is no record ${path}.`);
  return TreeFile.parse(JSON.parse(await readFile(path, "utf8")));
}

/** The real path of a file, when it is in a folder; links do not lead out. */
async function realPathIn(folder: string, path: string): Promise<string | undefined> {
  const root = await realpath(folder).catch(() => folder);
  const absolute = path.startsWith("/") ? path : join(folder, path);
  const real = await realpath(absolute).catch(() => absolute);
  return !real.split(sep).includes("..") && real.startsWith(root + sep) ? real : undefined;
}
