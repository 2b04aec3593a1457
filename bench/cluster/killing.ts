import { machineTime } from "../../test/kit/model-server/fixed.ts";
import { startModelProcess } from "../model-process.ts";
import { type ClusterClient, connectTo, type SeenTurn } from "./client.ts";
import { areApart, startHosts, stopHosts } from "./hosts.ts";
import { type Line, none, orAfter, type Row } from "./row.ts";
import { prompt } from "./streaming.ts";

const CONNECTIONS = 4;
const PACE_MS = 250;
/** Longer than anybody waits here. */
const TOKENS = 400;
const STREAMING_MS = 20_000;
const GOAL_MS = 20_000;
const LONGEST_MS = 45_000;

interface Reading {
  readonly session: string;
  readonly client: ClusterClient;
  readonly turn: SeenTurn;
}

/** A host that is killed while it drives sessions that others read: what becomes of their turns. */
export const killing: Row = async ({ size: { killed }, database }) => {
  await using model = await startModelProcess(["--stamped", "--tokens", `${TOKENS}`, "--pace", `${PACE_MS}`]);
  const hosts = await startHosts(3, { databaseUrl: await database(), modelUrl: model.baseUrl });
  const [driver, ...others] = hosts;
  const clients = await connectTo(others, CONNECTIONS);
  try {
    if (driver === undefined) return [];
    const readings = await Promise.all(
      Array.from({ length: killed }, async (_, index): Promise<Reading> => {
        const session = `killed-${index}`;
        const client = clients[index % others.length]?.[index % CONNECTIONS];
        if (client === undefined) throw new Error("A host has no connection.");
        await prompt(driver.url, session);
        return { session, client, turn: await client.follow(session) };
      }),
    );
    await orAfter(
      STREAMING_MS,
      readings.map(({ turn }) => turn.begun.promise),
    );
    await driver.kill();
    const died = machineTime();
    for (const { turn } of readings) turn.note();
    await orAfter(
      LONGEST_MS,
      readings.map(({ turn }) => Promise.race([turn.over.promise, turn.resumed.promise])),
    );
    return await linesOf(readings, died);
  } finally {
    for (const client of clients.flat()) client[Symbol.dispose]();
    await stopHosts(hosts);
  }
};

async function linesOf(readings: readonly Reading[], died: number): Promise<readonly Line[]> {
  const left = readings.filter(({ turn }) => turn.settledAt === undefined);
  const last = Math.max(...readings.map(({ turn }) => turn.settledAt ?? Number.POSITIVE_INFINITY)) - died;
  const logs = await Promise.all(
    readings.map(async (reading) => ({ ...reading, log: await logOf(reading) })),
  );
  const lostPrompts = logs.filter(({ log }) => log.prompts !== 1);
  const lostText = logs.filter(({ log, turn }) => !log.text.includes(turn.text.trimEnd()));
  const ends = Object.entries(Object.groupBy(readings, ({ turn }) => turn.status ?? "went on"));
  const how = ends.map(([status, all]) => `${all?.length ?? 0} ${status}`).join(", ");
  const where = areApart ? "another machine to the others" : "a process of the others' machine";
  return [
    {
      what: `a host (${where}) killed with ${readings.length} sessions: until the last ended or went on`,
      measured: `${(last / 1000).toFixed(1)} s (${how})`,
      goal: `≤ ${GOAL_MS / 1000} s`,
      met: last <= GOAL_MS,
    },
    none("… turns that neither ended nor went on", left.length),
    none("… accepted prompts that are not in the log, or more than once", lostPrompts.length),
    none("… texts that a reader saw and the log does not have", lostText.length),
  ];
}

interface SessionMessage {
  readonly role: string;
  readonly text?: string;
}

/** What the log says: how many prompts there are, and all text of the agent. */
async function logOf({
  session,
  client,
}: Reading): Promise<{ readonly prompts: number; readonly text: string }> {
  const { messages } = (await client.request("session.history", { session_id: session })) as {
    readonly messages: readonly SessionMessage[];
  };
  const of = (role: string): readonly SessionMessage[] => messages.filter((message) => message.role === role);
  return {
    prompts: of("user").length,
    text: of("assistant")
      .map(({ text = "" }) => text)
      .join(""),
  };
}
