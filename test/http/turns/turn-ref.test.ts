import { describe, expect, test } from "vitest";
import { followTurn } from "../../../src/http/turns/turn-ref.ts";
import { say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith } from "../../kit/test-host.ts";

describe("following a turn", () => {
  test("gives long text in pieces with cursors of their own, none of which cuts a character", async () => {
    const text = `x${"🙂".repeat(40_000)}`;
    await using host = await hostWith(scriptedModel([say(text)]));
    const session = await host.open();
    const turn = session.submit({ text: "go" });
    await turn.result;
    const ref = { sessionId: session.id, promptId: turn.promptId, after: 0 };
    const { signal } = new AbortController();
    const pieces = (
      await Array.fromAsync(followTurn(() => Promise.resolve(session), ref, { signal }))
    ).flatMap((event) => (event.type === "message.delta" ? [event] : []));
    expect(pieces.map((piece) => piece.text).join("")).toBe(text);
    expect(pieces.length).toBeGreaterThan(4);
    for (const { text: piece, seq } of pieces) {
      expect(piece.length).toBeLessThanOrEqual(16_384);
      expect(piece.isWellFormed()).toBe(true);
      const rest = await Array.fromAsync(
        followTurn(() => Promise.resolve(session), ref, { signal, from: seq }),
      );
      const after = rest.flatMap((event) => (event.type === "message.delta" ? [event.text] : [])).join("");
      expect(
        text.endsWith(after) &&
          after.length === text.length - (seq - (pieces[0]?.seq ?? 0) + (pieces[0]?.text.length ?? 0)),
      ).toBe(true);
    }
  });
});
