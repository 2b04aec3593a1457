import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { Arrivals } from "../../../src/http/server/arrivals.ts";

const MANY = 30;
const REQUEST = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

/** Sends many requests at once, each over a connection of its own; gives how many connections were open at each one's turn. */
async function openAtEach(now: () => number): Promise<readonly number[]> {
  const open: number[] = [];
  let accepted = 0;
  const server = createServer((_, response) => {
    void Promise.resolve(arrivals.over).then(() => {
      open.push(accepted);
      response.end();
    });
  });
  const arrivals = new Arrivals(server, { monotonic: now });
  server.on("connection", () => (accepted += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = (): Socket =>
    connect(port, "127.0.0.1", function (this: Socket) {
      this.write(REQUEST);
    });
  const answers = await Promise.all(Array.from({ length: MANY }, () => text(ask())));
  expect(answers.every((answer) => answer.startsWith("HTTP/1.1 200"))).toBe(true);
  server.close();
  return open;
}

describe("connections that come together", () => {
  test("are all let in before a request of one of them is handled", async () => {
    expect(await openAtEach(() => 0)).toEqual(Array.from({ length: MANY }, () => MANY));
  });

  test("keep no request waiting longer than a moment", async () => {
    let time = 0;
    const open = await openAtEach(() => (time += 20));
    expect(open).toHaveLength(MANY);
    expect(open[0]).toBeLessThan(MANY / 2);
  });
});
