import { expect, test } from "vitest";
import type { DurableEvent } from "../../../../src/core/events/events.ts";
import { NO_USAGE } from "../../../../src/core/events/usage.ts";
import { logPen, sessionStart, titleSet, turnStart } from "../../../kit/log-pen.ts";
import { newSession, type OpenHome } from "./home.ts";

const turnEnd = (turnId: string): DurableEvent => ({
  type: "turn.end",
  turnId,
  outcome: "completed",
  usage: NO_USAGE,
});

export function feedContract(openHome: OpenHome): void {
  test("rows that others follow are in the feed in the order of their commits, whoever wrote them", async () => {
    await using home = await openHome();
    const a = await home.openHost();
    const b = await home.openHost();
    const one = await newSession(a, "one");
    const two = await newSession(b, "two");
    await a.append(one.append("one", [turnStart("x", "t1"), titleSet("A title"), turnEnd("t1")]));
    await b.append(two.append("two", [turnStart("y", "t2"), turnEnd("t2")]));
    const first = await a.feed(0, 3);
    expect(first.rows.map(({ session, row }) => [session, row.type])).toEqual([
      ["one", "session.start"],
      ["two", "session.start"],
      ["one", "turn.end"],
    ]);
    const rest = await b.feed(first.next, 9);
    expect(rest.rows).toMatchObject([{ session: "two", row: { seq: two.head.seq, type: "turn.end" } }]);
    expect(await a.feed(rest.next, 9)).toEqual({ rows: [], next: rest.next });
  });

  test("the feed has nothing of what a session copied or was given, or of sessions that were removed", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const source = await newSession(store, "source");
    await store.append(source.append("source", [turnStart("x", "t1"), turnEnd("t1")], { release: true }));
    const branch = logPen(undefined, source.state);
    const rows = branch.rows([{ type: "session.branch", parentId: "source", title: "A copy" }]);
    await store.branch("source", source.head, { id: "copy", rows, state: branch.state });
    const given = logPen();
    const past = [sessionStart(), turnStart("z", "t2"), turnEnd("t2")];
    await store.create(
      "given",
      given.rows([...past, { type: "session.import", origin: "a file" }]),
      given.state,
    );
    await store.remove("source");
    const { rows: fed, next } = await store.feed(0, 9);
    expect(fed.map(({ session, row }) => [session, row.type])).toEqual([
      ["copy", "session.branch"],
      ["given", "session.import"],
    ]);
    expect(next).toBe(4);
  });
}
