import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CommandStage } from "../../kit/command.ts";
import { callTool, reply, say, startModelServer, think } from "../../kit/model-server/index.ts";
import { svgOf } from "../svg.ts";
import { KEYS, TestTerminal } from "../terminal.ts";

/** Draws the pictures of the guide: the real client in a terminal, on a model that says what is scripted. */
const { values } = parseArgs({
  options: {
    to: { type: "string", default: "docs/screens" },
    columns: { type: "string", default: "96" },
    rows: { type: "string", default: "26" },
  },
});

const ANSWER = `## What changed today

The port moved from the code to the configuration; **nothing else** behaves differently.

| File | Lines | Why |
|---|--:|---|
| src/app.ts | +4 −1 | reads the port from the configuration |
| src/config.ts | +21 | new, with checks |
| test/app.test.ts | +12 −2 | covers both |

\`\`\`ts
const port = Number(config.port ?? 8080); // was a constant
if (port < 1024) throw new Error(\`Port \${port} needs privileges\`);
\`\`\`
`;

await using stage = new CommandStage();
await using server = await startModelServer();
server.script(
  reply([think("The log of today first, then the diff."), say(ANSWER)]),
  reply([
    say("I change the port. "),
    callTool("edit_file", { path: "app.ts", old_text: "8080", new_text: "9090" }),
  ]),
  reply([
    say("And the old build goes. "),
    callTool("terminal", { command: "rm -rf build && npm run build" }),
  ]),
);
stage.configure(`model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n`);
writeFileSync(
  join(stage.workspace, "app.ts"),
  'export const port = 8080;\nexport const host = "localhost";\n',
);

await using terminal = new TestTerminal(stage, [], {
  columns: Number(values.columns),
  rows: Number(values.rows),
  env: { COLORTERM: "truecolor", COLORFGBG: "15;0" },
});
mkdirSync(values.to, { recursive: true });
const save = (name: string): void => writeFileSync(join(values.to, `${name}.svg`), svgOf(terminal.screen));

await terminal.shows("test-model");
terminal.send("What changed today?");
await terminal.shows(/tokens/);
save("answer");
terminal.send("Use port 9090, and build anew");
await terminal.shows("A number or");
save("approval");
terminal.type(KEYS.escape);
await terminal.shows("denied");
await terminal.shows(/tokens\n[\s\S]*Ask anything/);
terminal.type(KEYS.ctrl("x"));
await terminal.shows("Ctrl+N new");
save("sessions");
