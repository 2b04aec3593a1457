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
  "providers/store/sqlite/sqlite-store",
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
].map((name) => join(root, "test", `${name}.test.ts`));

/**
 * Starts the longest files first, so that none is left alone at the end. A fresh clone has no times of an
 * earlier run to sort by.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.filter((file) => !existsSync(file));
    if (gone.length > 0) throw new Error(`No such tests, mend the list of the longest: ${gone.join(", ")}`);
    const place = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.indexOf(moduleId);
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
