import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import type { HttpEnv } from "../../../src/http/server/context.ts";
import { EventStreams } from "../../../src/http/server/event-streams.ts";
import { handClock } from "../../kit/clock.ts";
import { callTool, gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { testTool, toolsOf, untilTrue } from "../../kit/test-host.ts";
import { KEY, openStream, rawRequest, stageWith } from "../stage.ts";

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

  test("for somebody who has left before it begins is not read at all", async () => {
    const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
    outgoing.destroy();
    await once(outgoing, "close");
    const streams = new EventStreams(handClock(), { keepAliveMs: 1000, stallMs: 1000 });
    let began = false;
    const app = new Hono<HttpEnv>();
    async function* source(): AsyncGenerator<string, void> {
      began = true;
      yield "data: x\n\n";
    }
    app.get("/", (c) => streams.answer(c, source, { failed: () => "" }));
    await app.request("/", {}, { outgoing });
    expect([streams.size, began]).toEqual([0, false]);
  });

  test("begins for nobody who asks for its headers alone, and keeps no connection", async () => {
    const streams = new EventStreams(handClock(), { keepAliveMs: 1000, stallMs: 1000 });
    let began = false;
    const app = new Hono<HttpEnv>();
    async function* source(): AsyncGenerator<string, void> {
      began = true;
      yield "data: x\n\n";
    }
    app.get("/", (c) => streams.answer(c, source, { failed: () => "" }));
    const server = createAdaptorServer({ fetch: app.fetch });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const head = "HEAD / HTTP/1.1\r\nHost: localhost\r\n";
    const answers = await rawRequest(port, `${head}\r\n${head}Connection: close\r\n\r\n`);
    server.close();
    expect(answers.match(/HTTP\/1\.1 200|content-type: text\/event-stream/gi)).toHaveLength(4);
    expect([streams.size, began]).toEqual([0, false]);
  });

  test("is told whole to whoever asks without a connection", async () => {
    const streams = new EventStreams(handClock(), { keepAliveMs: 1000, stallMs: 1000 });
    const app = new Hono<HttpEnv>();
    async function* source(): AsyncGenerator<string, void> {
      yield "data: x\n\n";
      yield "";
      throw new Error("broken");
    }
    app.get("/", (c) => streams.answer(c, source, { failed: () => "data: sorry\n\n" }));
    const answer = await app.request("/");
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toBe("data: x\n\ndata: sorry\n\n");
    expect(streams.size).toBe(0);
  });
});
