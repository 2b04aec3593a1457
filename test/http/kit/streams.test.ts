import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { handClock } from "../../kit/clock.ts";
import { callTool, gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { testTool, toolsOf, untilTrue } from "../../kit/test-host.ts";
import { KEY, openStream, stageWith } from "../stage.ts";

const CHAT = "/v1/chat/completions";
const body = { stream: true, messages: [{ role: "user", content: "hi" }] };

describe("an event stream", () => {
  test("is kept awake by a comment after 30 s without data", async () => {
    const clock = handClock();
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("a"), wait(hold)]), { host: { clock } });
    const stream = await openStream(stage, CHAT, { method: "POST", body });
    await stream.until((text) => text.includes('"content":"a"'));
    for (let second = 0; second < 31; second += 1) clock.advance(1000);
    expect(await stream.until((text) => text.includes(": keepalive\n\n"))).toContain('"a"');
    expect(stream.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    hold.open();
    expect(await stream.end).toMatch(/\[DONE\]\n\n$/);
  });

  test("whose reader takes nothing is let go after a while, and the turn is none the worse", async () => {
    const clock = handClock();
    const hold = gate();
    const long = "x".repeat(100_000);
    const replies = Array.from({ length: 12 }, () => [
      ...Array.from({ length: 30 }, () => say(long)),
      callTool("look"),
    ]);
    const model = scriptedModel(...replies, [wait(hold), say("end")]);
    await using stage = await stageWith(model, {
      host: {
        clock,
        toolsets: toolsOf(testTool("look")),
        policy: { ...DEFAULT_POLICY, compression: { enabled: false, at: 1 } },
      },
    });
    const socket = connect(stage.port, "127.0.0.1");
    await once(socket, "connect");
    socket.pause();
    const text = JSON.stringify(body);
    socket.write(
      `POST ${CHAT} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${text.length}\r\nX-Agent-Session-Id: mine\r\n\r\n${text}`,
    );
    await hold.reached;
    socket.on("error", () => undefined);
    const gone = once(socket, "close");
    socket.on("end", () => undefined);
    for (let second = 0; second < 125; second += 1) {
      clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.resume();
    await gone;
    hold.open();
    await untilTrue(() => stage.host.running === 0);
    expect((await (await stage.host.session("mine")).refresh()).lastTurn?.outcome).toBe("completed");
  });
});
