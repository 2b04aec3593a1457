import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

/** What the dependency rules say of a file that is planted for the moment. */
async function violations(file: string, text: string): Promise<readonly string[]> {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  try {
    const cruiser = join(root, "node_modules/.bin/depcruise");
    const { stdout } = await run(cruiser, [file, "--output-type", "json"], {
      cwd: root,
      maxBuffer: 2 ** 26,
    }).catch((thrown: { stdout: string }) => thrown);
    const { summary } = JSON.parse(stdout) as { summary: { violations: readonly Violation[] } };
    return summary.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);
  } finally {
    rmSync(path);
  }
}

describe("the dependency rules catch", { timeout: 60_000 }, () => {
  test.each([
    [
      "src/core/canary.ts",
      'import { readFileSync } from "node:fs";\nexport const canary = readFileSync;\n',
      "core-does-no-io",
    ],
    [
      "src/core/canary.ts",
      'import { memoryStore } from "../providers/store/index.ts";\nexport const canary = memoryStore;\n',
      "core-imports-only-its-neighbours",
    ],
    [
      "src/core/canary.ts",
      'import { parse } from "yaml";\nexport const canary = parse;\n',
      "core-uses-only-its-packages",
    ],
    [
      "src/acp/canary.ts",
      'import { memoryStore } from "../providers/store/index.ts";\nexport const canary = memoryStore;\n',
      "acp-imports-only-its-neighbours",
    ],
    [
      "src/acp/canary.ts",
      'import { parse } from "yaml";\nexport const canary = parse;\n',
      "acp-uses-only-its-packages",
    ],
    [
      "src/providers/mcp/canary.ts",
      'import { createSpawner } from "../tools/index.ts";\nexport const canary = createSpawner;\n',
      "mcp-imports-only-its-neighbours",
    ],
    [
      "src/providers/tools/canary.ts",
      'import { memoryStore } from "../store/index.ts";\nexport const canary = memoryStore;\n',
      "tools-imports-only-its-neighbours",
    ],
    [
      "src/http/kit/canary.ts",
      'import { Turns } from "../turns/turns.ts";\nexport const canary = Turns;\n',
      "http-kit-imports-only-its-neighbours",
    ],
    [
      "src/http/turns/canary.ts",
      'import { healthRoutes } from "../v1/health.ts";\nexport const canary = healthRoutes;\n',
      "http-turns-imports-only-its-neighbours",
    ],
    [
      "src/http/v1/canary.ts",
      'import { memoryStore } from "../../providers/store/index.ts";\nexport const canary = memoryStore;\n',
      "http-v1-imports-only-its-neighbours",
    ],
    [
      "src/http/api/canary.ts",
      'import { healthRoutes } from "../v1/health.ts";\nexport const canary = healthRoutes;\n',
      "http-api-imports-only-its-neighbours",
    ],
    [
      "src/http/canary.ts",
      'import { parse } from "yaml";\nexport const canary = parse;\n',
      "http-uses-only-its-packages",
    ],
    [
      "src/jobs/canary.ts",
      'import { memoryStore } from "../providers/store/index.ts";\nexport const canary = memoryStore;\n',
      "jobs-imports-only-its-neighbours",
    ],
    [
      "src/jobs/canary.ts",
      'import { parse } from "yaml";\nexport const canary = parse;\n',
      "jobs-uses-only-its-packages",
    ],
    [
      "src/webhook/canary.ts",
      'import { Jobs } from "../jobs/index.ts";\nexport const canary = Jobs;\n',
      "webhook-imports-only-its-neighbours",
    ],
    [
      "src/fleet/canary.ts",
      'import { Outbox } from "../delivery/outbox.ts";\nexport const canary = Outbox;\n',
      "fleet-imports-only-its-neighbours",
    ],
    [
      "src/front/canary.ts",
      'import { parse } from "yaml";\nexport const canary = parse;\n',
      "front-uses-only-its-packages",
    ],
    [
      "src/providers/delivery/canary.ts",
      'import { Outbox } from "../../delivery/outbox.ts";\nexport const canary = Outbox;\n',
      "senders-imports-only-its-neighbours",
    ],
    [
      "src/delivery/canary.ts",
      'import { memoryStore } from "../providers/store/index.ts";\nexport const canary = memoryStore;\n',
      "delivery-imports-only-its-neighbours",
    ],
    [
      "src/tui/canary.ts",
      'import { HostError } from "../core/index.ts";\nexport const canary = HostError;\n',
      "tui-imports-only-its-neighbours",
    ],
    [
      "src/providers/models/canary.ts",
      'import { EXIT } from "../../cli/io.ts";\nexport const canary = EXIT;\n',
      "nobody-imports-the-command",
    ],
    [
      "src/rpc/canary.ts",
      'import { memoryStore } from "../providers/store/index.ts";\nexport const canary = memoryStore;\n',
      "rpc-imports-only-its-neighbours",
    ],
    [
      "src/rpc/canary.ts",
      'import { parse } from "yaml";\nexport const canary = parse;\n',
      "rpc-uses-only-its-packages",
    ],
    [
      "src/providers/store/canary.ts",
      'import { gate } from "../../../test/kit/scripted-model.ts";\nexport const canary = gate;\n',
      "shipped-code-does-not-import-tests",
    ],
  ])("%s with %j", async (file, text, rule) => {
    expect(await violations(file, text)).toContain(rule);
  });
});
