import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that systems give by themselves, to a connection of some other test as well, between this look and the use. */
const LOWEST = 10_000;
const HIGHEST = 32_000;

/** A port that is free now: for a server that has to start again where it was. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const server = createServer();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
    } catch {
      // Somebody has it.
      continue;
    }
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
