import type { DurableEvent } from "../../src/core/events/events.ts";
import type { Origin } from "../../src/core/events/prompt.ts";
import { NO_USAGE } from "../../src/core/events/usage.ts";
import { readIdentity, sqliteStore } from "../../src/providers/store/index.ts";
import { random } from "../kit/counts.ts";
import { logPen, prompt, sessionStart, titleSet } from "../kit/log-pen.ts";

const DAY = 24 * 3_600_000;
const SESSIONS = 90;

const TITLES = [
  "Find the flaky test of the outbox",
  "Draft the release notes",
  "Which invoices of March are open?",
  "Move the cron jobs to the new host",
  "Why is the build slow?",
  "Summarise the incident of Tuesday",
];

interface Writer {
  readonly from: Origin;
  readonly start: Partial<Parameters<typeof sessionStart>[0]>;
}

const WRITERS: readonly Writer[] = [
  { from: { surface: "tui" }, start: { platform: "tui", source: "tui", cwd: "/home/ann/shop" } },
  {
    from: { surface: "chat", client: "telegram:ann" },
    start: { platform: "chat", source: "telegram", cwd: "" },
  },
  {
    from: { surface: "chat", client: "slack:U02BEN" },
    start: { platform: "chat", source: "slack", cwd: "" },
  },
  {
    from: { surface: "acp", client: "zed" },
    start: { platform: "acp", source: "zed", cwd: "/home/ann/api" },
  },
  { from: { surface: "job", client: "job_1" }, start: { platform: "job", source: "job", cwd: "" } },
];

/** Fills a home with a month of sessions, the same each time, and one whose budget is used up. */
export async function seedHome(home: string, now: number): Promise<void> {
  await using store = await sqliteStore({ home, identity: readIdentity(process.pid) });
  const any = random(7);
  const pick = <T>(list: readonly [T, ...T[]] | readonly T[]): T | undefined =>
    list[Math.floor(any() * list.length)];
  for (let number = 0; number < SESSIONS; number += 1) {
    let at = now - Math.floor(any() * 30 * DAY) - 20 * 60_000;
    const { from, start } = pick(WRITERS) ?? { from: { surface: "tui" }, start: {} };
    const pen = logPen(() => at);
    const rows = [...pen.rows([sessionStart(start), titleSet(pick(TITLES) ?? "")])];
    const isParked = number === 0;
    for (let turn = 0; turn < 1 + Math.floor(any() * 5); turn += 1) {
      for (const [event, ms] of turnOf(`turn-${turn}`, from, any)) {
        rows.push(...pen.rows([event]));
        at += ms;
      }
    }
    if (isParked) rows.push(...pen.rows(parkedTurn(from)));
    await store.create(`seed_${String(number).padStart(3, "0")}`, rows, pen.state);
  }
}

function turnOf(
  turnId: string,
  from: Origin,
  any: () => number,
): readonly (readonly [event: DurableEvent, ms: number])[] {
  const input = Math.floor(2000 + any() * 30_000);
  const usage = { ...NO_USAGE, calls: 1, input, output: 400, cost: input * 0.000_004 };
  const call = { turnId, callId: "call" };
  const asks: readonly (readonly [DurableEvent, number])[] =
    any() < 0.7
      ? []
      : [
          [
            {
              ...call,
              type: "clarify.request",
              requestId: turnId,
              timeoutMs: 300_000,
              beforeEffect: true,
              question: "Shall I?",
              choices: [],
            },
            Math.floor(any() * 90_000),
          ],
          [
            {
              ...call,
              type: "clarify.resolved",
              requestId: turnId,
              resolution: { outcome: "answered", text: "Yes.", by: from },
            },
            1,
          ],
        ];
  const text = "It is done, and here is how I know.";
  return [
    [{ type: "turn.start", turnId, prompt: { ...prompt("Please have a look at it."), from } }, 1],
    ...asks,
    [
      {
        type: "reply.complete",
        turnId,
        segments: [{ kind: "text", cursor: 0, text }],
        calls: [],
        finish: "stop",
        usage,
        provider: "anthropic",
        model: "claude",
      },
      Math.floor(2000 + any() * 40_000),
    ],
    [{ type: "turn.end", turnId, outcome: "completed", usage }, 60_000],
  ];
}

const parkedTurn = (from: Origin): readonly DurableEvent[] => [
  { type: "turn.start", turnId: "parked", prompt: { ...prompt("Go through all of them."), from } },
  {
    type: "turn.end",
    turnId: "parked",
    outcome: "failed",
    usage: NO_USAGE,
    error: { code: "budget_exceeded", message: "The session has used 412000 of its 400000 tokens." },
  },
];
