import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A service of texts on 127.0.0.1, and those that it took. */
export interface SmsService extends AsyncDisposable {
  readonly url: string;
  readonly texts: readonly string[];
  /** How many of the next ones it does not take. */
  refuses: number;
}

/** A service that sends texts to phones; it keeps them. */
export async function smsService(): Promise<SmsService> {
  const texts: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isTaken = service.refuses === 0;
      if (isTaken) texts.push(new URLSearchParams(body).get("Body") ?? "");
      else service.refuses -= 1;
      response.writeHead(isTaken ? 201 : 400, { "content-type": "application/json" }).end("{}");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const service: SmsService = {
    url: `http://127.0.0.1:${port}`,
    texts,
    refuses: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}
