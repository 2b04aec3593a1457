/**
 * Who may import whom; the table stands in docs/architecture.md. `test/rules/dependencies.test.ts` plants a breach of
 * each rule and sees it caught.
 */
const packages = (names) => `^node_modules/(?!(${names.join("|")})(/|$))`;

/** @param {string} name @param {string} from @param {string[]} to folders of src that may be imported @param {string[]} [npm] */
function room(name, from, to, npm = []) {
  const inside = [from, ...to].map((folder) => `^${folder}`);
  return [
    {
      name: `${name}-imports-only-its-neighbours`,
      severity: "error",
      from: { path: `^${from}` },
      to: { path: "^(src|test|bench|examples)/", pathNot: inside },
    },
    {
      name: `${name}-uses-only-its-packages`,
      severity: "error",
      from: { path: `^${from}` },
      to: { path: packages(npm), dependencyTypesNot: ["core"] },
    },
  ];
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "no-orphans", severity: "error", from: { orphan: true, path: "^src/", pathNot: "(^|/)(index|main|worker)\\.ts$|\\.d\\.ts$" }, to: {} },
    { name: "nothing-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "core-does-no-io",
      severity: "error",
      from: { path: "^src/core/" },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|timers)$" },
    },
    ...room("core", "src/core/", [], ["zod"]),
    ...room("store", "src/providers/store/", ["src/core/"]),
    ...room("fetch", "src/providers/fetch/", ["src/core/"], ["undici"]),
    ...room("models", "src/providers/models/", ["src/core/"], ["openai", "@anthropic-ai/sdk", "@azure/identity", "undici", "zod"]),
    ...room("acp", "src/acp/", ["src/core/"], ["@agentclientprotocol/sdk", "zod"]),
    ...room("rpc", "src/rpc/", ["src/core/"], ["vscode-jsonrpc", "ws", "zod"]),
    ...room("jobs", "src/jobs/", ["src/core/", "src/delivery/"], ["croner", "zod"]),
    ...room("webhook", "src/webhook/", ["src/core/", "src/delivery/", "src/http/kit/"], ["hono", "zod"]),
    ...room("fleet", "src/fleet/", ["src/core/", "src/http/kit/"], ["hono"]),
    ...room("front", "src/front/", ["src/core/", "src/http/kit/"]),
    ...room("senders", "src/providers/delivery/", ["src/core/"], ["marked", "nodemailer"]),
    ...room("delivery", "src/delivery/", ["src/core/"]),
    ...room("mcp", "src/providers/mcp/", ["src/core/"], ["@modelcontextprotocol/client", "zod"]),
    ...room("knowledge", "src/providers/knowledge/", ["src/core/"], ["yaml", "zod"]),
    ...room("tools", "src/providers/tools/", ["src/core/"], ["zod", "@vscode/ripgrep"]),
    ...room("web", "src/providers/web/", ["src/core/"], ["@joplin/turndown-plugin-gfm", "@mozilla/readability", "htmlparser2", "linkedom", "turndown", "unpdf", "zod"]),
    ...room("images", "src/providers/images/", ["src/core/"], ["sharp"]),
    ...room("tui", "src/tui/", ["src/rpc/client/"], ["ink", "react", "marked", "lowlight", "fuzzysort", "string-width"]),
    ...room("http-kit", "src/http/kit/", ["src/core/"], ["hono", "@hono/node-server", "zod"]),
    ...room("http-turns", "src/http/turns/", ["src/core/", "src/http/kit/"], ["zod"]),
    ...room("http-v1", "src/http/v1/", ["src/core/", "src/http/kit/", "src/http/turns/"], ["zod"]),
    ...room("http-api", "src/http/api/", ["src/core/", "src/http/kit/", "src/http/turns/"], ["zod"]),
    ...room("http", "src/http/", ["src/core/"], ["hono", "@hono/node-server", "zod"]),
    {
      name: "nobody-imports-the-command",
      severity: "error",
      from: { pathNot: "^(src/cli/|test/|bench/)" },
      to: { path: "^src/cli/" },
    },
    {
      name: "few-start-processes",
      comment: "What a session runs goes through the one spawner; the others start a program of the person's own or this one.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot:
          "^src/(providers/tools/spawn/|rpc/client/spawned|cli/(tui/edit-outside|bootstrap/check))",
      },
      to: { path: "^(node:)?child_process$" },
    },
    {
      name: "shipped-code-does-not-import-tests",
      severity: "error",
      from: { path: "^(src|bin)/", pathNot: "^src/testing/" },
      to: { path: "^(test|bench|examples)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // What the build makes: `agent-host` imports itself by its published name.
    exclude: { path: "^(dist|types)/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
