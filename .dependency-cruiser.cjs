/**
 * Who may import whom; the table stands in docs/architecture.md. `test/rules/dependencies.test.ts` plants a breach of
 * each rule and sees it caught.
 */
const packages = (names) => `^node_modules/(?!(${names.join("|")})(/|$))`;

/** @param {string} name @param {string} from @param {string[]} to folders of src that may be imported @param {string[]} [npm] */
function room(name, from, to, npm = []) {
  const inside = [from, "src/shared/", ...to].map((folder) => `^${folder}`);
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

/** Who in the core may import whom: each room only those below it. `shared` is open to all. */
function coreRooms(rooms) {
  return Object.entries(rooms).map(([name, below]) => ({
    name: `core-${name}-imports-only-what-is-below`,
    severity: "error",
    from: { path: `^src/core/${name}/` },
    to: { path: "^src/core/", pathNot: [name, ...below].map((room) => `^src/core/${room}/`) },
  }));
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
    ...room("shared", "src/shared/", []),
    {
      name: "core-has-one-door",
      comment: "What the core offers stands in its index.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/core/" },
      to: { path: "^src/core/(?!index\\.ts$)" },
    },
    ...room("core", "src/core/", ["src/shared/"], ["zod"]),
    ...coreRooms({
      events: [],
      state: ["events"],
      ports: ["events", "state"],
      log: ["events", "state", "ports"],
      conversation: ["events", "state", "ports", "log"],
      timeline: ["events", "state", "ports", "log"],
      questions: ["events", "state", "ports", "log"],
      turn: ["events", "state", "ports", "log", "conversation", "questions"],
      session: ["events", "state", "ports", "log", "conversation", "questions", "turn"],
      subagents: ["events", "state", "ports", "log", "conversation", "questions", "turn", "session"],
    }),
    {
      name: "core-commands-are-a-door",
      comment: "Slash commands use a host as surfaces do; nothing else in the core knows them.",
      severity: "error",
      from: { path: "^src/core/(?!commands/|index\\.ts$)" },
      to: { path: "^src/core/commands/" },
    },
    ...room("store", "src/providers/store/", ["src/core/"], ["pg"]),
    ...room("fetch", "src/providers/fetch/", ["src/core/"], ["undici"]),
    ...room("models", "src/providers/models/", ["src/core/"], ["openai", "@anthropic-ai/sdk", "@azure/identity", "eventsource-parser", "undici", "zod"]),
    ...room("mcp", "src/providers/mcp/", ["src/core/", "src/jsonrpc/"], ["@modelcontextprotocol/client", "zod"]),
    ...room("knowledge", "src/providers/knowledge/", ["src/core/"], ["yaml", "zod"]),
    ...room("tools", "src/providers/tools/", ["src/core/"], ["zod", "@vscode/ripgrep"]),
    ...room("checkpoints", "src/providers/checkpoints/", ["src/core/", "src/providers/store/sqlite/", "src/providers/tools/files/ignore-rules"], ["diff"]),
    ...room("web", "src/providers/web/", ["src/core/"], ["@joplin/turndown-plugin-gfm", "@mozilla/readability", "htmlparser2", "linkedom", "turndown", "unpdf", "zod"]),
    ...room("kb", "src/providers/kb/", ["src/core/", "src/providers/store/sqlite/", "src/providers/store/postgres/", "src/providers/store/search/words", "src/providers/web/reader/", "src/providers/web/charset", "src/providers/web/media-kind", "src/providers/web/untrusted"], ["mammoth", "zod"]),
    ...room("images", "src/providers/images/", ["src/core/"], ["sharp"]),
    ...room("senders", "src/providers/delivery/", ["src/core/"], ["marked", "nodemailer"]),
    ...room("jsonrpc", "src/jsonrpc/", [], []),
    {
      name: "jsonrpc-has-one-door",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/jsonrpc/" },
      to: { path: "^src/jsonrpc/(?!index\\.ts$)" },
    },
    ...room("acp", "src/acp/", ["src/core/", "src/jsonrpc/"], ["@agentclientprotocol/sdk", "diff", "zod"]),
    {
      name: "acp-version-1-stands-alone",
      comment: "The draft of version 2 can be deleted: only the place that chooses the version knows it.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/acp/(experimental-v2/|serve\\.ts$)" },
      to: { path: "^src/acp/experimental-v2/" },
    },
    ...room("rpc", "src/rpc/", ["src/core/", "src/jsonrpc/"], ["fuzzysort", "vscode-jsonrpc", "ws", "zod"]),
    ...room("http-server", "src/http/server/", ["src/core/"], ["hono", "@hono/node-server", "zod"]),
    ...room("http-turns", "src/http/turns/", ["src/core/", "src/http/server/"], ["zod"]),
    ...room("http-v1", "src/http/v1/", ["src/core/", "src/http/server/", "src/http/turns/"], ["zod"]),
    ...room("http-api", "src/http/api/", ["src/core/", "src/http/server/", "src/http/turns/"], ["zod"]),
    ...room("http", "src/http/", ["src/core/"], ["hono", "@hono/node-server", "zod"]),
    ...room("tui", "src/tui/", ["src/rpc/client/"], ["diff", "ink", "react", "marked", "lowlight", "fuzzysort", "string-width"]),
    ...room("jobs", "src/automation/jobs/", ["src/core/", "src/automation/delivery/", "src/automation/work/"], ["croner", "zod"]),
    ...room("webhook", "src/automation/webhook/", ["src/core/", "src/automation/delivery/", "src/automation/work/", "src/http/server/"], ["hono", "zod"]),
    ...room("outgoing", "src/automation/outgoing/", ["src/core/", "src/automation/delivery/", "src/automation/jobs/", "src/automation/work/"], ["zod"]),
    ...room("sources", "src/automation/sources/", ["src/core/", "src/automation/jobs/", "src/automation/work/", "src/providers/kb/index.ts", "src/providers/kb/collection-name.ts", "src/providers/fetch/index.ts"]),
    ...room("work", "src/automation/work/", ["src/core/"]),
    ...room("delivery", "src/automation/delivery/", ["src/core/", "src/automation/work/"]),
    ...room("personas", "src/people/personas/", ["src/core/"], ["zod"]),
    ...room("roster", "src/people/roster/", ["src/core/"], ["libphonenumber-js", "zod"]),
    ...room("chat", "src/chat/", ["src/core/", "src/providers/delivery/index.ts"], ["zod", "postal-mime"]),
    {
      name: "chat-platforms-stand-alone",
      comment: "A platform knows the port and nothing else: not the connector, not another platform.",
      severity: "error",
      from: { path: "^src/chat/(?!port/|inbox/|access/|places/|sending/|turns/|approvals/|connection/)([^/]+)/" },
      to: { path: "^src/chat/", pathNot: "^src/chat/(port|$1)/" },
    },
    ...room("dashboard", "src/dashboard/", ["src/core/", "src/http/server/", "src/automation/jobs/", "src/automation/outgoing/", "src/automation/work/", "src/people/personas/", "src/people/roster/"], ["hono", "openid-client", "otpauth", "qrcode", "zod"]),
    ...room("member-app", "src/member-app/", ["src/core/", "src/http/server/", "src/http/turns/event-encoders", "src/automation/delivery/", "src/automation/outgoing/", "src/automation/work/", "src/people/roster/", "src/dashboard/server/visitor"], ["web-push", "zod"]),
    ...room("web-pages", "web/src/", ["src/rpc/client/", "src/rpc/protocol/", "src/dashboard/api/"], ["@base-ui/react", "@tanstack/react-query", "@tanstack/react-router", "@tanstack/react-virtual", "marked", "react", "react-dom", "uplot", "zod"]),
    ...room("fleet", "src/deployment/fleet/", ["src/core/", "src/http/server/"], ["hono"]),
    ...room("reverse-proxy", "src/deployment/reverse-proxy/", ["src/core/", "src/http/server/"]),
    {
      name: "only-the-command-imports-the-app",
      comment: "The composition root stands above all that it composes.",
      severity: "error",
      from: { pathNot: "^(src/app/|src/cli/|test/|bench/)" },
      to: { path: "^src/app/" },
    },
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
          "^src/(providers/tools/spawn/|rpc/client/spawned|app/process/own-program|cli/(tui/edit-outside|terminal/open-browser|acp/bootstrap/check))",
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
