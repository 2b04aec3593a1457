import { median, percentile, report } from "./figures.ts";
import { benchHome } from "./gateway-process.ts";
import { agentCommandLine, LineClient, type Message } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/** 200 sessions that are prompted at once on one connection, 200 tokens each, one in 10 ms: over the gateway and over ACP. */
const SESSIONS = 200;
const TOKENS = 200;
const PACE_MS = 10;
const ROUNDS = 5;
const IDEAL_MS = (TOKENS - 1) * PACE_MS;

interface Protocol {
  readonly name: string;
  readonly command: string;
  readonly open: (client: LineClient, index: number) => Promise<string>;
  readonly prompt: (client: LineClient, session: string) => Promise<unknown>;
  /** The session of a message that shows text, or that ends a turn without answering it. */
  readonly text: (message: Message) => string | undefined;
  readonly end: (message: Message) => string | undefined;
}

const PROTOCOLS: readonly Protocol[] = [
  {
    name: "gateway",
    command: "rpc",
    open: async (client, index) =>
      String((await client.request("session.create", { session_id: `s${index}` }))["session_id"]),
    prompt: (client, session_id) => client.request("prompt.submit", { session_id, text: "hi" }),
    text: ({ params }) => (params?.type === "message.delta" ? params.session_id : undefined),
    end: ({ params }) => (params?.type === "message.complete" ? params.session_id : undefined),
  },
  {
    name: "ACP",
    command: "acp",
    open: (client) => client.open(process.cwd()),
    prompt: (client, sessionId) =>
      client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] }),
    text: ({ params }) =>
      params?.update?.sessionUpdate === "agent_message_chunk" ? params.sessionId : undefined,
    end: () => undefined,
  },
];

interface AtOnce {
  readonly wall: number;
  readonly first: number;
}

/** Prompts all sessions in one write, and waits until all turns are over. */
async function atOnce(
  client: LineClient,
  { prompt, text, end, name }: Protocol,
  sessions: readonly string[],
): Promise<AtOnce> {
  const firsts = new Map<string, number>();
  const ended = new Set<string>();
  const over = Promise.withResolvers<void>();
  const started = performance.now();
  const finish = (session: string): void => {
    if (ended.add(session).size === SESSIONS) over.resolve();
  };
  client.onMessage = (message) => {
    const session = text(message);
    if (session !== undefined && !firsts.has(session)) firsts.set(session, performance.now() - started);
    const done = end(message);
    if (done !== undefined) finish(done);
  };
  const answers = sessions.map((session) =>
    prompt(client, session).then(() => name === "ACP" && finish(session)),
  );
  await Promise.all([...answers, over.promise]);
  if (firsts.size !== SESSIONS) throw new Error(`${firsts.size} sessions had text`);
  return { wall: performance.now() - started, first: percentile([...firsts.values()], 0.99) };
}

async function measure(
  protocol: Protocol,
  program: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<AtOnce> {
  await using client = new LineClient(env, program);
  if (protocol.name === "ACP") await client.initialize();
  const sessions: string[] = [];
  for (let index = 0; index < SESSIONS; index += 1) sessions.push(await protocol.open(client, index));
  const rounds: AtOnce[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await atOnce(client, protocol, sessions));
  return {
    wall: median(rounds.map(({ wall }) => wall)),
    first: median(rounds.map(({ first }) => first)),
  };
}

await using model = await startModelProcess([
  "--tokens",
  String(TOKENS),
  "--writes",
  String(TOKENS),
  "--pace",
  String(PACE_MS),
]);
const bareAgent = plainProgram("agent");
for (const protocol of PROTOCOLS) {
  // The model server answers every question as slowly as a prompt: it is not asked for its context.
  using home = benchHome(model.baseUrl, "  context_length: 100000000\n");
  const floor = await measure(protocol, [process.execPath, bareAgent, "--model", model.baseUrl], process.env);
  const ours = await measure(protocol, agentCommandLine(protocol.command), home.env);
  report(`${SESSIONS} sessions at once, ${protocol.name}: wall / ideal`, ours.wall / IDEAL_MS, {
    unit: "",
    floor: floor.wall / IDEAL_MS,
    goal: { value: 1.05 },
  });
  report(`${SESSIONS} sessions at once, ${protocol.name}: first token p99`, ours.first, {
    unit: "ms",
    floor: floor.first,
    goal: { ratio: 1.5 },
  });
}
