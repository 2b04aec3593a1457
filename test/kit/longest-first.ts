import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = join(import.meta.dirname, "../..");

/** The files that take ten times as long as most; the first one the longest. */
const LONGEST = [
  "tui/resize",
  "app/linear",
  "app/update/update",
  "providers/tools/sandbox/escapes",
  "providers/tools/container/container-engine",
  "rules/readme",
  "providers/store/sqlite/durability",
  "providers/tools/spawn/reap",
  "providers/tools/command-policy/corpus",
  "rules/dependencies",
  "cli/tui/detached",
  "cli/webhook/webhook",
  "cli/run/run",
  "app/home",
  "cli/doctor/doctor",
  "cli/tui/coming-back",
  "cli/gateway/gateway",
  "cli/setup/setup",
  "tui/habits",
  "acp/sessions",
  "acp/conformance",
  "acp/client-io",
  "acp/acpx",
  "app/sandbox/surfaces",
  "app/sandbox/doors",
].map(fileOf);

/** The folders whose tests start processes, which takes the longer the more memory the worker has: 1 ms at 50 MB, 30 at 600. */
const STARTERS = [
  "acp",
  "app",
  "chat/end-to-end",
  "cli",
  "cluster",
  "dashboard",
  "examples",
  "member-app",
  "providers/tools",
  "rules",
  "tui",
].map((name) => join(root, "test", name, "/"));

/** The files after which a worker is hundreds of megabytes larger. */
const LARGEST = [
  "providers/store/sqlite/sqlite-store",
  "providers/kb/hostile",
  "providers/store/sqlite/damage",
  "providers/models/request/body-encoder",
  "providers/models/dialects/anthropic-messages/faults",
  "providers/models/dialects/openai-chat/reply",
  "automation/sources/sources",
].map(fileOf);

function fileOf(name: string): string {
  return join(root, "test", `${name}.test.ts`);
}

/**
 * Starts the longest files first, so that none is left alone at the end, and what makes a worker large last. A fresh clone has
 * no times of an earlier run to sort by.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = [...LONGEST, ...STARTERS, ...LARGEST].filter((path) => !existsSync(path));
    if (gone.length > 0) throw new Error(`No such tests, mend the lists of their order: ${gone.join(", ")}`);
    const place = ({ moduleId }: TestSpecification): number => {
      if (LARGEST.includes(moduleId)) return LONGEST.length + 2;
      const index = LONGEST.indexOf(moduleId);
      if (index !== -1) return index;
      return STARTERS.some((folder) => moduleId.startsWith(folder)) ? LONGEST.length : LONGEST.length + 1;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
