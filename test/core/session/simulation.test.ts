import { describe, expect, test } from "vitest";
import {
  type AnyTool,
  DEFAULT_POLICY,
  type Models,
  type Row,
  type Session,
  type Store,
  decodeRow,
  deriveConversation,
  foldAll,
} from "../../../src/core/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { conversationFaults } from "../../kit/conversation-validator.ts";
import { random, times } from "../../kit/counts.ts";
import { Machine, type TestProcess } from "../../kit/machine.ts";
import { callTool, fail, say, scriptedModelWith, type Step, think } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets time pass until something is done. */
async function inTime<T>(world: World, doing: Promise<T>): Promise<T> {
  const state = { over: false };
  void doing
    .catch(() => undefined)
    .finally(() => {
      state.over = true;
    });
  for (let ticks = 0; !state.over; ticks += 1) {
    await tick();
    if (ticks % 10 === 9) world.machine.clock.advance(100);
    if (ticks > 20_000) throw new Error("stuck: nothing happens in 200 simulated seconds");
  }
  return await doing;
}

interface World {
  readonly machine: Machine;
  readonly dice: () => number;
  readonly runs: Map<string, number>;
  readonly accepted: Set<string>;
  processes: (TestProcess & { dead: boolean })[];
}

/** A model that does anything: talks, thinks, calls tools, fails. */
function wildModel(dice: () => number): Models {
  const step = (): Step => {
    const roll = dice();
    if (roll < 0.5) return say(`word${Math.floor(dice() * 100)} `);
    if (roll < 0.65) return think("hm ");
    if (roll < 0.75) return callTool("look");
    if (roll < 0.85) return callTool("change", { key: `k${Math.floor(dice() * 1e9)}` });
    if (roll < 0.9) return callTool("nope");
    return say("");
  };
  return scriptedModelWith({
    otherwise: () => {
      const steps = Array.from({ length: 1 + Math.floor(dice() * 5) }, step);
      if (dice() < 0.1)
        steps.push(fail(new HostError(dice() < 0.5 ? "provider_network" : "provider_auth", "broken")));
      return steps;
    },
  });
}

async function start(world: World): Promise<void> {
  const process: { dead: boolean } = { dead: false };
  const tools: readonly AnyTool[] = [
    testTool("look"),
    testTool("change", {
      effect: "once",
      run: async (input) => {
        // What a dead process does does not happen.
        if (!process.dead)
          world.runs.set(String(input["key"]), (world.runs.get(String(input["key"])) ?? 0) + 1);
        await tick();
        return "changed";
      },
    }),
  ];
  const policy = { ...DEFAULT_POLICY, limits: { ...DEFAULT_POLICY.limits, iterations: 6 } };
  const started = await world.machine.start(wildModel(world.dice), {
    toolsets: toolsOf(...tools),
    policy,
    keepLeaseMs: world.dice() < 0.5 ? 0 : 2000,
  });
  world.processes.push(
    Object.assign(process, started, {
      die: () => {
        process.dead = true;
        started.die();
      },
    }),
  );
}

async function act(world: World, id: string): Promise<void> {
  const { dice } = world;
  const living = world.processes.filter(({ dead }) => !dead);
  const process = living[Math.floor(dice() * living.length)];
  if (process === undefined) return start(world);
  const session = await process.host.session(id);
  const roll = dice();
  if (roll < 0.3) {
    const turn = session.submit({
      text: `prompt ${Math.floor(dice() * 1e6)}`,
      mode: dice() < 0.8 ? "queue" : "interrupt",
    });
    await turn.accepted.then(() => world.accepted.add(turn.promptId));
  } else if (roll < 0.4) await session.steer("steered");
  else if (roll < 0.5) await session.interrupt({ keepQueue: dice() < 0.5 });
  else if (roll < 0.75) await answerOne(session, dice);
  else if (roll < 0.8) await session.undo(1);
  else if (roll < 0.85) await session.setTitle(`title ${Math.floor(dice() * 1e6)}`);
  else if (roll < 0.88) world.machine.clock.advance(Math.floor(dice() * 400_000));
  else if (roll < 0.92) {
    process.die();
    if (living.length === 1) await start(world);
  } else if (living.length < 3) await start(world);
  else for (let count = 0; count < 20; count += 1) await tick();
}

async function answerOne(session: Session, dice: () => number): Promise<void> {
  await session.refresh();
  const [question] = session.questions();
  if (question === undefined) return;
  await session.answer(question.request.requestId, { choice: dice() < 0.6 ? "once" : "deny" });
}

async function allRows(store: Store, id: string): Promise<readonly Row[]> {
  const page = await store.read(id, { after: 0, limit: 100_000 });
  return page?.rows.map(decodeRow) ?? [];
}

function check(rows: readonly Row[], world: World): void {
  expect(rows.map(({ n }) => n)).toEqual(rows.map((_, index) => index + 1));
  const cursors = rows.map(({ seq }) => seq);
  expect(cursors).toEqual([...new Set(cursors)].toSorted((a, b) => a - b));
  let running: string | undefined;
  const ran = new Set<string>();
  for (const { event } of rows) {
    if (event.type === "turn.start") {
      expect(running).toBeUndefined();
      running = event.turnId;
      expect(ran.has(event.prompt.id)).toBe(false);
      ran.add(event.prompt.id);
    } else if ("turnId" in event) expect(event.turnId).toBe(running);
    if (event.type === "turn.end") running = undefined;
  }
  const state = foldAll(rows);
  const dropped = rows.flatMap(({ event }) => (event.type === "prompt.dropped" ? event.promptIds : []));
  const waiting = state.queue.map(({ prompt }) => prompt.id);
  for (const id of world.accepted) {
    const places = [ran.has(id), dropped.includes(id), waiting.includes(id)].filter(Boolean);
    expect(places, `prompt ${id} has exactly one fate`).toHaveLength(1);
  }
  const started = new Set<string>();
  for (const { event } of rows) {
    if (event.type === "tool.start") {
      expect(started.has(event.callId)).toBe(false);
      started.add(event.callId);
    }
  }
  for (let length = 0; length <= rows.length; length += 7) {
    expect(conversationFaults(deriveConversation(rows.slice(0, length)))).toEqual([]);
  }
  expect(conversationFaults(deriveConversation(rows))).toEqual([]);
}

describe("a simulated life", () => {
  test("of processes that come, go and die keeps every promise of the log", async () => {
    for (let round = 0; round < times(400); round += 1) {
      const world: World = {
        machine: new Machine(),
        dice: random(1000 + round),
        runs: new Map(),
        accepted: new Set(),
        processes: [],
      };
      await inTime(world, start(world));
      const first = world.processes[0];
      if (first === undefined) throw new Error("no process");
      const { id } = await first.host.open({ id: `life-${round}` });
      for (let move = 0; move < 60; move += 1) {
        try {
          await inTime(world, act(world, id));
        } catch (thrown) {
          const expected = [
            "nothing_to_undo",
            "session_busy",
            "question_not_pending",
            "answer_invalid",
            "lease_lost",
            "session_unreachable",
          ];
          if (!(thrown instanceof HostError) || !expected.includes(thrown.code)) throw thrown;
        }
        if (world.dice() < 0.5) await tick();
      }
      for (const { dead, host } of world.processes) {
        if (dead) continue;
        await inTime(world, host.close());
      }
      await inTime(world, start(world));
      const last = world.processes.at(-1);
      if (last === undefined) throw new Error("no process");
      await inTime(world, last.host.close());
      const rows = await allRows(last.store, id);
      check(rows, world);
      const record = await last.store.record(id);
      expect(record?.state).toEqual(foldAll(rows));
      for (const [key, count] of world.runs) expect(count, key).toBe(1);
    }
  });
});
