import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

/** Each room of the core, and a file of a room above it. */
const CORE_ROOMS = [
  ["events", "state/fold.ts"],
  ["state", "ports/store.ts"],
  ["ports", "log/session-log.ts"],
  ["log", "conversation/conversation.ts"],
  ["conversation", "questions/approvals.ts"],
  ["timeline", "questions/approvals.ts"],
  ["questions", "turn/driver.ts"],
  ["turn", "session/session-actor.ts"],
  ["session", "subagents/subagent-manager.ts"],
  ["subagents", "host.ts"],
] as const;

/** A folder, a program planted there, and the rule that it breaks. */
const BREACHES: readonly (readonly [folder: string, text: string, rule: string])[] = [
  [
    "src/core",
    'import { readFileSync } from "node:fs";\nexport const canary = readFileSync;\n',
    "core-does-no-io",
  ],
  [
    "src/core",
    'import { memoryStore } from "../providers/store/index.ts";\nexport const canary = memoryStore;\n',
    "core-imports-only-its-neighbours",
  ],
  [
    "src/core",
    'import { parse } from "yaml";\nexport const canary = parse;\n',
    "core-uses-only-its-packages",
  ],
  [
    "src/acp",
    'import { memoryStore } from "../providers/store/index.ts";\nexport const canary = memoryStore;\n',
    "acp-imports-only-its-neighbours",
  ],
  [
    "src/providers/tools",
    'import { spawn } from "node:child_process";\nexport const canary = spawn;\n',
    "few-start-processes",
  ],
  [
    "src/acp/v1",
    'import type { v2Agent } from "../experimental-v2/agent.ts";\nexport type Canary = typeof v2Agent;\n',
    "acp-version-1-stands-alone",
  ],
  ["src/acp", 'import { parse } from "yaml";\nexport const canary = parse;\n', "acp-uses-only-its-packages"],
  [
    "src/providers/mcp",
    'import { Spawner } from "../tools/index.ts";\nexport const canary = Spawner;\n',
    "mcp-imports-only-its-neighbours",
  ],
  [
    "src/providers/knowledge",
    'import { readTextInside } from "../tools/index.ts";\nexport const canary = readTextInside;\n',
    "knowledge-imports-only-its-neighbours",
  ],
  [
    "src/providers/tools",
    'import { memoryStore } from "../store/index.ts";\nexport const canary = memoryStore;\n',
    "tools-imports-only-its-neighbours",
  ],
  [
    "src/providers/checkpoints",
    'import { openWorkspace } from "../tools/workspace/workspace.ts";\nexport const canary = openWorkspace;\n',
    "checkpoints-imports-only-its-neighbours",
  ],
  [
    "src/providers/kb",
    'import { webToolset } from "../web/index.ts";\nexport const canary = webToolset;\n',
    "kb-imports-only-its-neighbours",
  ],
  [
    "src/providers/web",
    'import { guardedFetcher } from "../fetch/index.ts";\nexport const canary = guardedFetcher;\n',
    "web-imports-only-its-neighbours",
  ],
  [
    "src/providers/images",
    'import { parse } from "yaml";\nexport const canary = parse;\n',
    "images-uses-only-its-packages",
  ],
  [
    "src/http/server",
    'import { Turns } from "../turns/turns.ts";\nexport const canary = Turns;\n',
    "http-server-imports-only-its-neighbours",
  ],
  [
    "src/http/turns",
    'import { healthRoutes } from "../v1/health.ts";\nexport const canary = healthRoutes;\n',
    "http-turns-imports-only-its-neighbours",
  ],
  [
    "src/http/v1",
    'import { memoryStore } from "../../providers/store/index.ts";\nexport const canary = memoryStore;\n',
    "http-v1-imports-only-its-neighbours",
  ],
  [
    "src/http/api",
    'import { healthRoutes } from "../v1/health.ts";\nexport const canary = healthRoutes;\n',
    "http-api-imports-only-its-neighbours",
  ],
  [
    "src/http",
    'import { parse } from "yaml";\nexport const canary = parse;\n',
    "http-uses-only-its-packages",
  ],
  [
    "src/automation/jobs",
    'import { memoryStore } from "../../providers/store/index.ts";\nexport const canary = memoryStore;\n',
    "jobs-imports-only-its-neighbours",
  ],
  [
    "src/automation/jobs",
    'import { parse } from "yaml";\nexport const canary = parse;\n',
    "jobs-uses-only-its-packages",
  ],
  [
    "src/people/roster",
    'import { memoryStore } from "../../providers/store/index.ts";\nexport const canary = memoryStore;\n',
    "roster-imports-only-its-neighbours",
  ],
  [
    "src/people/personas",
    'import { memoryStore } from "../../providers/store/index.ts";\nexport const canary = memoryStore;\n',
    "personas-imports-only-its-neighbours",
  ],
  [
    "src/member-app/api",
    'import { SignIn } from "../../dashboard/sign-in/sign-in.ts";\nexport const canary = SignIn;\n',
    "member-app-imports-only-its-neighbours",
  ],
  [
    "src/chat/port",
    'import { memoryStore } from "../../providers/store/index.ts";\nexport const canary = memoryStore;\n',
    "chat-imports-only-its-neighbours",
  ],
  [
    "src/chat/telegram",
    'import { Inbox } from "../inbox/inbox.ts";\nexport const canary = Inbox;\n',
    "chat-platforms-stand-alone",
  ],
  [
    "src/chat",
    'import { parse } from "yaml";\nexport const canary = parse;\n',
    "chat-uses-only-its-packages",
  ],
  [
    "src/automation/webhook",
    'import { Jobs } from "../jobs/index.ts";\nexport const canary = Jobs;\n',
    "webhook-imports-only-its-neighbours",
  ],
  [
    "src/automation/work",
    'import { Jobs } from "../jobs/index.ts";\nexport const canary = Jobs;\n',
    "work-imports-only-its-neighbours",
  ],
  [
    "src/deployment/fleet",
    'import { Outbox } from "../../automation/delivery/outbox.ts";\nexport const canary = Outbox;\n',
    "fleet-imports-only-its-neighbours",
  ],
  [
    "src/deployment/reverse-proxy",
    'import { parse } from "yaml";\nexport const canary = parse;\n',
    "reverse-proxy-uses-only-its-packages",
  ],
  [
    "src/providers/delivery",
    'import { Outbox } from "../../automation/delivery/outbox.ts";\nexport const canary = Outbox;\n',
    "senders-imports-only-its-neighbours",
  ],
  [
    "src/automation/delivery",
    'import { memoryStore } from "../../providers/store/index.ts";\nexport const canary = memoryStore;\n',
    "delivery-imports-only-its-neighbours",
  ],
  [
    "src/tui",
    'import { HostError } from "../core/index.ts";\nexport const canary = HostError;\n',
    "tui-imports-only-its-neighbours",
  ],
  [
    "src/providers/models",
    'import { EXIT } from "../../app/process/io.ts";\nexport const canary = EXIT;\n',
    "only-the-command-imports-the-app",
  ],
  [
    "src/app/process",
    'import { main } from "../../cli/main.ts";\nexport const canary = main;\n',
    "nobody-imports-the-command",
  ],
  [
    "src/rpc",
    'import { memoryStore } from "../providers/store/index.ts";\nexport const canary = memoryStore;\n',
    "rpc-imports-only-its-neighbours",
  ],
  ["src/rpc", 'import { parse } from "yaml";\nexport const canary = parse;\n', "rpc-uses-only-its-packages"],
  [
    "src/providers/store",
    'import { gate } from "../../../test/kit/scripted-model.ts";\nexport const canary = gate;\n',
    "shipped-code-does-not-import-tests",
  ],
  [
    "src/shared/json",
    'import { openHost } from "../../core/index.ts";\nexport const canary = openHost;\n',
    "shared-imports-only-its-neighbours",
  ],
  [
    "src/jsonrpc",
    'import { openHost } from "../core/index.ts";\nexport const canary = openHost;\n',
    "jsonrpc-imports-only-its-neighbours",
  ],
  [
    "src/rpc",
    'import { SendWindow } from "../jsonrpc/send-window.ts";\nexport const canary = SendWindow;\n',
    "jsonrpc-has-one-door",
  ],
  [
    "src/rpc",
    'import { fold } from "../core/state/fold.ts";\nexport const canary = fold;\n',
    "core-has-one-door",
  ],
  [
    "src/core/session",
    'import { SlashCommands } from "../commands/slash-commands.ts";\nexport const canary = SlashCommands;\n',
    "core-commands-are-a-door",
  ],
  ...CORE_ROOMS.map(([room, above]): readonly [string, string, string] => [
    `src/core/${room}`,
    `import type * as Above from "../${above}";\nexport type Canary = typeof Above;\n`,
    `core-${room}-imports-only-what-is-below`,
  ]),
];

const fileOf = (folder: string, index: number): string => `${folder}/canary-${index}.ts`;

describe("the dependency rules catch", () => {
  let violations: readonly Violation[] = [];

  // One look at all of them: each look reads most of the project.
  beforeAll(async () => {
    const files = BREACHES.map(([folder, text], index) => {
      const file = fileOf(folder, index);
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
      return file;
    });
    const cruiser = join(root, "node_modules/.bin/depcruise");
    const { stdout } = await run(cruiser, [...files, "--output-type", "json"], {
      cwd: root,
      maxBuffer: 2 ** 26,
    }).catch((thrown: { stdout: string }) => thrown);
    ({ violations } = (JSON.parse(stdout) as { summary: { violations: readonly Violation[] } }).summary);
  });

  afterAll(() => {
    for (const [index, [folder]] of BREACHES.entries())
      rmSync(join(root, fileOf(folder, index)), { force: true });
  });

  test.each(BREACHES.map(([folder, , rule], index) => [rule, fileOf(folder, index)] as const))(
    "%s, in %s",
    (rule, file) => {
      const found = violations.filter(({ from }) => from === file);
      expect(found.map(({ rule: { name } }) => name)).toContain(rule);
    },
  );
});
