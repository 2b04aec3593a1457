import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, report } from "./figures.ts";
import { agentCommandLine, LineClient } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/**
 * How long an editor waits beside a bare agent that does nothing else: for a byte that the model has just written, and
 * for a whole turn of a model that answers at once. All in one run and in turns, so that a busy machine hits all alike.
 * `--beside <folder>` measures another build of this project too; the homes lie in `TMPDIR`.
 */
const { values } = parseArgs({
  options: {
    beside: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "300" },
  },
});
const ROUNDS = Number(values.rounds);

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "agent-bench-"));

interface Contender {
  readonly name: string;
  readonly command: (baseUrl: string) => readonly string[];
}
const floor = plainProgram("agent");
const contenders: readonly Contender[] = [
  { name: "floor", command: (baseUrl) => [process.execPath, floor, "--model", baseUrl] },
  { name: "agent", command: () => agentCommandLine("acp") },
  ...values.beside.map((root) => ({ name: root, command: () => [join(root, "bin/agent.js"), "acp"] })),
];

/** A client of one contender on one model, with its session. */
async function connect({ name, command }: Contender, baseUrl: string) {
  const home = mkdtempSync(join(folder, "home-"));
  const cwd = join(home, "work");
  mkdirSync(cwd);
  const model = `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: m\n  context_length: 100000000\n`;
  writeFileSync(join(home, "config.yaml"), model);
  const client = new LineClient({ ...process.env, AGENT_HOME: home }, command(baseUrl));
  await client.initialize();
  const sessionId = await client.open(cwd);
  const figures: number[] = [];
  const first: number[] = [];
  const turn = (): Promise<unknown> =>
    client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] });
  return { name, client, figures, first, turn };
}

type Connected = Awaited<ReturnType<typeof connect>>;

async function measure(
  { args, server }: { readonly args: readonly string[]; readonly server?: string },
  round: (each: Connected) => Promise<void>,
  rounds: number,
) {
  await using model = await startModelProcess(args, server);
  const all: Connected[] = [];
  for (const contender of contenders) all.push(await connect(contender, model.baseUrl));
  for (let index = 0; index < rounds; index += 1) for (const each of all) await round(each);
  for (const { client } of all) await client[Symbol.asyncDispose]();
  return all;
}

const goals: Readonly<Record<string, number>> = { "model byte to client": 1.6 };

function reportAll(
  name: string,
  all: readonly Connected[],
  of: (each: Connected) => readonly number[],
): void {
  const [bare, ...rest] = all.map((each) => ({ name: each.name, value: median(of(each)) }));
  for (const { name: whose, value } of rest)
    report(whose === "agent" ? name : `... ${whose.slice(-38)}`, value, {
      unit: "ms",
      floor: bare?.value ?? Number.NaN,
      goal: { ratio: goals[name] ?? 2 },
    });
}

const MICROSECONDS = 1000n;
const ages = await measure(
  { args: ["--stamps", "--tokens", "40", "--pace", "6"], server: program("./peer-model.ts") },
  async ({ client, figures, turn }) => {
    client.onUpdate = ({ content }) => {
      const now = Number(process.hrtime.bigint() / MICROSECONDS);
      for (const [, written] of (content?.text ?? "").matchAll(/@(\d+) /g))
        figures.push((now - Number(written)) / 1000);
    };
    await turn();
  },
  Math.ceil(ROUNDS / 30),
);
reportAll("model byte to client", ages, ({ figures }) => figures);

const turns = await measure(
  { args: ["--tokens", "3"] },
  async ({ client, figures, first, turn }) => {
    const started = performance.now();
    let shown = 0;
    client.onUpdate = ({ sessionUpdate }) => {
      if (sessionUpdate === "agent_message_chunk") shown ||= performance.now() - started;
    };
    await turn();
    figures.push(performance.now() - started);
    first.push(shown);
  },
  ROUNDS,
);
reportAll("prompt to first text", turns, ({ first }) => first.slice(10));
reportAll("warm turn of three tokens", turns, ({ figures }) => figures.slice(10));
rmSync(folder, { recursive: true });
