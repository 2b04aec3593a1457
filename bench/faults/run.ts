import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Agent, FaultName } from "./agent.ts";
import { lastPrompt, type RunHistory } from "./history.ts";
import { commandOf, type FaultsModel, type PromptPlan } from "./model.ts";
import { inTime, type Talk } from "./talk.ts";

/** What a run has to do with. */
export interface RunPorts {
  readonly agent: Agent;
  readonly model: FaultsModel;
  /** The file into which commands write. */
  readonly effects: string;
  readonly random: () => number;
}

const SHORT: PromptPlan = { tokens: 8, paceMs: 5 };
/** 3 s of text. */
const LONG: PromptPlan = { tokens: 60, paceMs: 50 };
const LARGE: PromptPlan = { tokens: 1_000, paceMs: 0, filler: 1_000 };
const HALF = 30;
const TOOL_S = 4;
const SILENT_MS = 1_500;
const HELD_MS = 3_000;
const PATIENCE_MS = 4_000;
/** Longer than the lease of a host. */
const CUT_OFF_MS = 18_000;
/** Whatever is waited for longer than that is stuck. */
const STEP_MS = 30_000;

const PLANS: Readonly<Record<FaultName, Partial<PromptPlan>>> = {
  none: LONG,
  kill: LONG,
  "kill in tool": SHORT,
  cut: LONG,
  "one way": LONG,
  duplicate: LONG,
  "slow reader": LARGE,
  "rate limit": { ...LONG, refusals: 3 },
  "broken stream": { ...LONG, breaksAfter: HALF },
  stall: { ...LONG, stallsAfter: HALF },
  "database cut": LONG,
  "database restart": LONG,
};

let prompts = 0;

/** A conversation of a run, with what it waits for in vain. */
interface Party {
  readonly talk: Talk;
  readonly waiting: string[];
  /** The prompt that the fault befalls. */
  readonly hit: number;
}

/** Has so many conversations at once, and lets a fault happen in the middle; gives the history of each. */
export async function runFault(
  fault: FaultName,
  count: number,
  ports: RunPorts,
): Promise<readonly RunHistory[]> {
  const { agent } = ports;
  const parties = await Promise.all(
    Array.from({ length: count }, async (): Promise<Party> => {
      const party: Party = { talk: await agent.talk(), waiting: [], hit: (prompts += 1) };
      await ask(party, { ...ports, plan: SHORT });
      return party;
    }),
  );
  for (const { hit, talk } of parties) {
    const plan = { ...SHORT, ...PLANS[fault] };
    const command = commandOf(hit, { file: ports.effects, seconds: TOOL_S });
    ports.model.plan(hit, fault === "kill in tool" ? { ...plan, command } : plan);
    talk.record.ask(hit, plan.tokens);
  }
  await causeFault(fault, parties, ports);
  await Promise.all(
    parties.map(async (party) => {
      await untilEnd(party);
      await ask(party, { ...ports, plan: SHORT });
    }),
  );
  await agent.restore();
  const histories = await Promise.all(parties.map((party) => historyOf(party, ports)));
  for (const { talk } of parties) talk.close();
  return histories;
}

/** Waits for a step in its time; notes it when it does not come, or fails. */
async function step({ waiting }: Party, what: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    if (await inTime(work(), STEP_MS)) return true;
    waiting.push(`${what} did not come within ${STEP_MS / 1000} s`);
  } catch (thrown) {
    waiting.push(`${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  return false;
}

/** Waits for the end of the prompt that the fault befell, as long as something of it still comes. */
async function untilEnd({ talk: { record }, hit, waiting }: Party): Promise<void> {
  for (let size = -1; record.view.length > size;) {
    size = record.view.length;
    if (await inTime(record.ended(hit), STEP_MS)) return;
  }
  waiting.push(`the end of prompt ${hit}: nothing came for ${STEP_MS / 1000} s`);
}

/** Sends a prompt that nothing befalls, and waits for all of its answer. */
async function ask(party: Party, { model, plan }: RunPorts & { readonly plan: PromptPlan }): Promise<void> {
  const number = (prompts += 1);
  const { talk } = party;
  model.plan(number, plan);
  talk.record.ask(number, plan.tokens);
  await step(party, `an answer to prompt ${number}`, async () => {
    await talk.send(number);
    const end = await talk.record.ended(number);
    if (end !== "completed") throw new Error(`its turn ended as ${end}`);
  });
}

async function causeFault(fault: FaultName, parties: readonly Party[], ports: RunPorts): Promise<void> {
  const { agent, random, effects } = ports;
  const all = async (what: string, work: (party: Party) => Promise<unknown>): Promise<void> =>
    void (await Promise.all(parties.map((party) => step(party, what, () => work(party)))));
  const send = (): Promise<void> =>
    all("word that the prompt is accepted", ({ talk, hit }) => talk.send(hit));
  const reconnect = (): Promise<void> => all("the way back", ({ talk }) => talk.reconnect());
  const middle = async (): Promise<void> => {
    const tokens = 3 + Math.floor(random() * HALF);
    await send();
    await all("the first text", ({ talk, hit }) =>
      Promise.race([talk.record.saw(hit, tokens), talk.record.ended(hit)]),
    );
  };
  const dead = async (state: "cut" | "one way"): Promise<void> => {
    await agent.line(state === "cut" ? { cut: true } : { oneWay: "to client" });
    await pause(SILENT_MS);
    await agent.line("break");
    await agent.line({});
  };
  switch (fault) {
    case "kill":
    case "kill in tool":
      if (fault === "kill") await middle();
      else {
        await send();
        await all("the command", async ({ hit }) => await untilThere(effects, hit));
      }
      await agent.kill();
      await agent.recover();
      return await reconnect();
    case "cut":
    case "one way":
      await middle();
      await dead(fault);
      return await reconnect();
    case "duplicate":
      await agent.line({ oneWay: "to client" });
      await Promise.all(
        parties.map(({ talk, hit }) => talk.send(hit, { giveUpMs: SILENT_MS }).catch(() => undefined)),
      );
      await agent.line("break");
      await agent.line({});
      await reconnect();
      return await send();
    case "slow reader":
      for (const { talk } of parties) talk.hold(true);
      await send();
      await pause(HELD_MS);
      for (const { talk } of parties) talk.hold(false);
      return;
    case "stall":
      await send();
      await all("the text before the stall", ({ talk, hit }) =>
        Promise.race([talk.record.saw(hit, HALF), talk.record.ended(hit)]),
      );
      await pause(PATIENCE_MS);
      return await all("the stop", ({ talk }) => talk.stop());
    case "database cut":
      await middle();
      await agent.databaseLine?.({ cut: true });
      await pause(CUT_OFF_MS);
      return await agent.databaseLine?.({});
    case "database restart":
      await middle();
      return await agent.restartDatabase?.();
    default:
      return await send();
  }
}

const LOOK_EVERY_MS = 20;

async function untilThere(file: string, prompt: number): Promise<void> {
  const until = performance.now() + STEP_MS;
  while (!effectsIn(file).includes(prompt) && performance.now() < until) await pause(LOOK_EVERY_MS);
}

const effectsIn = (file: string): readonly number[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => lastPrompt(line)?.number ?? []);

async function historyOf(party: Party, { model, effects }: RunPorts): Promise<RunHistory> {
  const { talk, waiting } = party;
  let kept: RunHistory["kept"];
  await step(party, "the conversation", async () => {
    kept = await talk.kept();
  });
  const { prompts: asked, shown } = talk.record;
  const own = new Set(asked.map(({ number }) => number));
  return {
    prompts: asked,
    shown,
    replies: asked.flatMap(({ number }) => model.repliesTo(number)),
    effects: effectsIn(effects).filter((number) => own.has(number)),
    kept,
    waiting,
  };
}
