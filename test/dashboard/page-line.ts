import type { Page } from "playwright-core";
import { field } from "../kit/model-server/index.ts";

/** An answer that has come and that the page has not heard. */
interface HeldAnswer {
  readonly release: () => void;
  /** Ends the connection instead: the answer is lost. */
  readonly lose: () => void;
}

/** A page's connection to the gateway, in the hand of a test. */
interface PageLine {
  /** Holds the answer to the next request for a method. */
  hold(method: string): Promise<HeldAnswer>;
}

/** Stands between a page and its gateway, from the next time on that the page connects. */
export async function holdLine(page: Page): Promise<PageLine> {
  const wanted = new Map<string, (held: HeldAnswer) => void>();
  await page.routeWebSocket("**/dashboard/api/ws", (socket) => {
    const server = socket.connectToServer();
    const asked = new Map<unknown, (held: HeldAnswer) => void>();
    socket.onMessage((message) => {
      const request: unknown = JSON.parse(String(message));
      const method = String(field(request, "method"));
      const give = wanted.get(method);
      wanted.delete(method);
      if (give !== undefined) asked.set(field(request, "id"), give);
      server.send(message);
    });
    server.onMessage((message) => {
      const id = field(JSON.parse(String(message)), "id");
      const give = asked.get(id);
      if (give === undefined) return socket.send(message);
      asked.delete(id);
      give({
        release: () => socket.send(message),
        lose: () => {
          void server.close();
          void socket.close();
        },
      });
    });
  });
  return {
    hold: (method) => new Promise((resolve) => void wanted.set(method, resolve)),
  };
}
