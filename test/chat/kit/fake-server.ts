import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { endWithTest } from "../../kit/end-with-test.ts";

/** The HTTP server of a fake on 127.0.0.1. It ends with the test at the latest. */
export class FakeServer implements AsyncDisposable {
  readonly http: Server;

  constructor(serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
    this.http = createServer((request, response) => void serve(request, response));
  }

  get url(): string {
    // A server that listens on a port has an address with one.
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  /** @param end - what else ends with the test */
  async listen(end: () => void = () => undefined): Promise<void> {
    await new Promise<void>((resolve) => this.http.listen(0, "127.0.0.1", resolve));
    endWithTest(() => {
      end();
      this.http.closeAllConnections();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.http.closeAllConnections();
    await new Promise<void>((resolve) => this.http.close(() => resolve()));
  }
}
