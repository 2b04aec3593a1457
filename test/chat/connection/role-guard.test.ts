import { describe, expect, test } from "vitest";
import type { ApprovalCards } from "../../../src/chat/approvals/approval-cards.ts";
import { openConnector, type ConnectorParts } from "../../../src/chat/connection/open-connector.ts";
import { RoleGuard } from "../../../src/chat/connection/role-guard.ts";
import type { ChannelNotes } from "../../../src/chat/port/platform.ts";
import type { HeldRole } from "../../../src/core/index.ts";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { PollingWorker } from "../../../src/shared/async/polling-worker.ts";
import { handClock } from "../../kit/clock.ts";
import { random } from "../../kit/counts.ts";
import { platformNamed, quick } from "../kit/fake-platform.ts";

/** A role that is lost when the test says so. */
function heldRole(): HeldRole & { readonly lose: () => void } {
  const lost = new AbortController();
  return {
    lost: lost.signal,
    isHeld: () => !lost.signal.aborted,
    lose: () => lost.abort(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** A connector that is open, with what it hands over to the outbox and what its channel notes. */
async function opened() {
  const clock = handClock();
  const store = memoryStore({ random: random(1) });
  const late: unknown[] = [];
  let notes: ChannelNotes | undefined;
  // What opening needs of its parts.
  const parts = {
    platform: {
      ...quick(platformNamed("telegram")),
      open: (_account: unknown, ports: { readonly notes: ChannelNotes }) => {
        notes = ports.notes;
        return Promise.resolve({
          connect: () => Promise.resolve({ id: "bot", name: "Bot" }),
          send: () => Promise.resolve("1"),
        });
      },
    },
    account: { baseUrl: "https://chat.example", secrets: {}, mode: "connection", extra: {} },
    ports: {},
    host: { services: { store, random: random(2), hex: () => "abcdef" } },
    records: store.records,
    clock,
    settings: () => ({ isOn: true, allow: ["*"], approvers: [], busyMode: "queue" }),
    sendLater: (text: unknown) => Promise.resolve(void late.push(text)),
  } as unknown as ConnectorParts;
  const connector = await openConnector(parts);
  if (notes === undefined) throw new Error("The channel was given no notes.");
  return { ...connector, notes, late, records: store.records, clock };
}

type Opened = Awaited<ReturnType<typeof opened>>;

const PLACE = { kind: "direct", chatId: "7" } as const;
const CARD = { request: { requestId: "q1" }, sessionId: "s1", origin: "Ada", chatId: "9" };

/** What a host that has lost the role must not do any more. */
const WORKS: Readonly<Record<string, (of: Opened) => Promise<unknown>>> = {
  "hands a text over to the outbox": ({ parts }) =>
    parts.sendLater({ id: "d1" } as unknown as Parameters<typeof parts.sendLater>[0]),
  "adds a card": ({ parts }) => parts.cards.add(CARD as unknown as Parameters<ApprovalCards["add"]>[0]),
  "changes a card": ({ parts }) => parts.cards.note(CARD as unknown as Parameters<ApprovalCards["note"]>[0]),
  "takes cards up": ({ parts }) => parts.cards.claimDue(1),
  "opens the conversation of a place": ({ parts }) => parts.places.open(PLACE, "telegram:42"),
  "begins another one there": ({ parts }) => parts.places.renew(PLACE, "telegram:42"),
  "leads a place to another session": ({ parts }) => parts.places.switch(PLACE, "telegram:42", "s2"),
  "notes something of its channel": ({ notes, clock }) => notes.put("cursor", "5", clock.now() + 1000),
  "takes messages up": ({ parts }) => parts.inbox.claimDue(1),
  "says something": ({ parts }) =>
    parts.channel.send({ place: PLACE, text: "hi", source: "hi", once: "o" }, new AbortController().signal),
};

describe("a host that has lost the role", () => {
  test.each(Object.entries(WORKS))("no longer %s", async (_what, work) => {
    const connector = await opened();
    const role = heldRole();
    connector.guard.holds(role, []);
    role.lose();
    await expect(work(connector)).rejects.toMatchObject({ code: "interrupted" });
    expect(connector.late).toEqual([]);
  });

  test("leaves what its workers do as it stands, at once", () => {
    const guard = new RoleGuard();
    const role = heldRole();
    const clock = handClock();
    const worker = new PollingWorker({
      clock,
      report: () => undefined,
      everyMs: 1000,
      concurrency: 1,
      poll: () => Promise.resolve(),
    });
    guard.holds(role, [worker]);
    expect([worker.signal.aborted, worker.capacity]).toEqual([false, 1]);
    role.lose();
    expect([worker.signal.aborted, worker.capacity]).toEqual([true, 0]);
  });
});

test("a host that has given the role up in order goes on with what it has accepted", async () => {
  const connector = await opened();
  const role = heldRole();
  connector.guard.holds(role, []);
  connector.guard.givesUp();
  role.lose();
  for (const work of Object.values(WORKS)) await work(connector);
  expect(connector.late).toHaveLength(1);
});
