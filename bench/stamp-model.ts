import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/**
 * A model server whose tokens say when they were written, in microseconds of the machine's own clock, which all its
 * processes share: a client knows how old each one is. Prints its address as a line of JSON; ends with its standard input.
 */
const TICKS = 40;
const PAUSE_MS = 6;

const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const server = createServer({ noDelay: true }, (request, response) => {
  request.resume().on("end", () => {
    void (async () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let tick = 0; tick < TICKS; tick += 1) {
        await pause(PAUSE_MS);
        response.write(frame({ content: `@${process.hrtime.bigint() / 1000n} ` }));
      }
      response.end(`${frame({}, "stop")}data: [DONE]\n\n`);
    })();
  });
});
server.listen(0, "127.0.0.1", () => {
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${port}/v1` }));
});
process.stdin.resume().on("end", () => {
  server.closeAllConnections();
  server.close();
});
