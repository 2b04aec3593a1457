import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CommandStage, OPEN } from "../../kit/command.ts";
import { callTool, gate, reply, say, startModelServer, think, waitAt } from "../../kit/model-server/index.ts";
import { svgOf } from "../svg.ts";
import { KEYS, TestTerminal } from "../terminal.ts";

/**
 * Draws the pictures of the guide: the real client in a terminal, on a model that says what is scripted. With `--all`
 * every kind of screen, to look at them after a change: `--columns 40 --to /tmp/screens`.
 */
const { values } = parseArgs({
  options: {
    to: { type: "string", default: "docs/screens" },
    columns: { type: "string", default: "96" },
    rows: { type: "string", default: "26" },
    all: { type: "boolean", default: false },
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

const COMMANDS = ["rm -rf build", "git push --force origin main"];

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
  reply("The port is 9090; nothing was built."),
  reply([
    ...COMMANDS.map((command) => callTool("terminal", { command })),
    callTool("clarify", { question: "Which of the two ports?", choices: ["8080", "9090"] }),
  ]),
  reply("Nothing was done."),
  { status: 401, body: '{"error":{"message":"Incorrect API key provided."}}' },
);
const config = `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n`;
stage.configure(config);
writeFileSync(
  join(stage.workspace, "app.ts"),
  'export const port = 8080;\nexport const host = "localhost";\n',
);

const options = {
  columns: Number(values.columns),
  rows: Number(values.rows),
  env: { COLORTERM: "truecolor", COLORFGBG: "15;0" },
};
await using terminal = new TestTerminal(stage, [], options);
mkdirSync(values.to, { recursive: true });
const save = (name: string, { screen } = terminal): void =>
  writeFileSync(join(values.to, `${name}.svg`), svgOf(screen));
const extra = (name: string): void => (values.all ? save(name) : undefined);
const idle = /tokens\n[\s\S]*Ask any/;

await terminal.shows("test-mod");
extra("start");
terminal.send("What changed today?");
await terminal.shows(idle);
save("answer");
terminal.send("Use port 9090, and build anew");
await terminal.shows("Alt+A answers");
save("approval");
await refuse();
await terminal.shows(/nothing was built[\s\S]*Ask any/);
extra("diff");
if (values.all) await questionsAndTrouble();
terminal.type(KEYS.ctrl("x") + KEYS.ctrl("x"));
await terminal.shows(/❯ ● What changed/);
save("sessions");
if (values.all) {
  await others();
  await remote();
}

/** Denies or skips the question that is open. */
async function refuse(): Promise<void> {
  const [, number = "1"] = /^\s*(\d) (?:Deny|Skip the question)$/m.exec(terminal.text()) ?? [];
  await terminal.answer(Number(number));
  await terminal.until(() => !terminal.text().includes("Enter takes"), "an answer");
}

async function questionsAndTrouble(): Promise<void> {
  terminal.send("Do three things");
  for (const [index, question] of [...COMMANDS, "Which of the two"].entries()) {
    await terminal.until(() => [question, "Alt+A answers"].every((each) => terminal.text().includes(each)));
    save(`question-${index + 1}`);
    await refuse();
  }
  await terminal.shows(/Nothing was done[\s\S]*Ask any/);
  save("answered");
  terminal.send("Now fail");
  await terminal.shows(/401[\s\S]*Ask any/);
  save("error");
}

/** The other lists and pages. */
async function others(): Promise<void> {
  const leave = async (): Promise<void> => {
    terminal.type(KEYS.escape);
    await terminal.shows("Ask any");
    // An Escape with a key right behind it is another key.
    await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const visit = async (name: string, keys: string, shows: RegExp): Promise<void> => {
    await leave();
    terminal.type(keys);
    await terminal.shows(shows);
    save(name);
  };
  await visit("models", KEYS.ctrl("t"), /❯ ● test-model/);
  await visit("help", "?", /What it does/);
  await visit("commands", "/", /❯ \/\w+/);
  terminal.type(KEYS.ctrl("u"));
  await visit("usage", "/usage \r", /Compressions/);
  await visit("display", "/display\r", /statusbar/);
}

/** A gateway elsewhere that dies in the middle of an answer. */
async function remote(): Promise<void> {
  await using far = new CommandStage();
  far.configure(config);
  const held = gate();
  server.script(reply([say("The first half of an answer, "), waitAt(held)]));
  const gateway = far.start(["rpc", "--listen", "127.0.0.1:0"], { stdin: OPEN });
  const { promise, resolve } = Promise.withResolvers<string>();
  gateway.child.stderr.on("data", (text: string) => {
    const address = /ws:\/\/\S+/.exec(text)?.[0];
    if (address !== undefined) resolve(address);
  });
  await using client = new TestTerminal(stage, ["--attach", await promise], options);
  await client.shows("test-mod");
  client.send("Tell me");
  await client.shows("The first half");
  client.type("a draft of mine");
  await client.shows("› a draft of mine");
  gateway.child.kill("SIGKILL");
  await client.shows("reconnecting");
  save("reconnecting", client);
  held.open();
}
