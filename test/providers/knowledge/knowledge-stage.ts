import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defined } from "../../../src/shared/json/defined.ts";
import { type Clock, systemClock } from "../../../src/shared/async/clock.ts";
import { replaceFile } from "../../../src/shared/files/replace-file.ts";
import {
  type Knowledge,
  type KnowledgeOptions,
  type KnowledgeSettings,
  MemoryFiles,
  type MemoryTexts,
  openKnowledge,
} from "../../../src/providers/knowledge/index.ts";
import { withFileLock } from "../../../src/shared/files/file-lock.ts";
import { readTextInside } from "../../../src/providers/tools/index.ts";

export interface KnowledgeStageOptions {
  readonly clock?: Clock;
  readonly settings?: Partial<KnowledgeSettings>;
  readonly platform?: string;
  /** Files of the home by default. */
  readonly memory?: MemoryTexts;
  readonly secret?: string;
  readonly provideKeys?: NonNullable<KnowledgeOptions["provideKeys"]>;
  readonly lackingKeys?: NonNullable<KnowledgeOptions["lackingKeys"]>;
}

/** A home and a workspace in a folder of the test's own, and what the agent knows of them. */
export class KnowledgeStage implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "agent-knowledge-"));
  readonly home = join(this.folder, "home");
  readonly workspace = join(this.folder, "work");
  readonly knowledge: Knowledge;

  constructor(options: KnowledgeStageOptions = {}) {
    mkdirSync(this.workspace, { recursive: true });
    this.knowledge = knowledgeOf(this.home, options);
  }

  /** Writes a file below the stage's folder; gives its path. */
  write(path: string, text: string): string {
    const whole = join(this.folder, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    return whole;
  }

  /** Writes a skill of the home. */
  skill(path: string, body = "Do it.", description?: string): string {
    const name = path.split("/").at(-1) ?? path;
    const head = `name: ${name}\ndescription: ${description ?? `About ${name}`}`;
    return this.write(`home/skills/${path}/SKILL.md`, `---\n${head}\n---\n${body}\n`);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a process knows of a home. */
export function knowledgeOf(home: string, options: KnowledgeStageOptions = {}): Knowledge {
  const { clock = systemClock, platform = "linux", secret } = options;
  let settings: KnowledgeSettings = {
    skillFolders: [],
    disabledSkills: [],
    memoryBudgets: { memory: 2000, user: 1000 },
    ...options.settings,
  };
  return openKnowledge({
    home,
    platform,
    clock,
    readInside: (path, folder, limit) =>
      readTextInside(path, { cwd: folder, roots: [folder] }, { limit, platform: process.platform }),
    memory:
      options.memory ??
      new MemoryFiles({
        folder: join(home, "memories"),
        replaceFile: (path, text) => replaceFile(path, text, 0o600),
        underLock: (path, work, signal) => withFileLock(path, work, { clock, signal }),
      }),
    ...defined({ provideKeys: options.provideKeys, lackingKeys: options.lackingKeys }),
    hide: (text) => (secret === undefined ? text : text.replaceAll(secret, "***")),
    disableSkills(names) {
      settings = { ...settings, disabledSkills: names };
      return Promise.resolve();
    },
    settings: () => settings,
  });
}
