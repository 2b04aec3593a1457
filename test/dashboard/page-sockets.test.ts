import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { PageSockets } from "../../src/dashboard/server/page-sockets.ts";
import type { CookieSession } from "../../src/dashboard/sign-in/cookie-sessions.ts";
import { handClock } from "../kit/clock.ts";

const SESSION: CookieSession = {
  id: "one",
  who: "operator",
  way: "address",
  createdAt: 0,
  seenAt: 0,
  address: "127.0.0.1",
  browser: "",
};

test.each([
  { page: "stays", leaves: false, count: 1 },
  { page: "leaves meanwhile", leaves: true, count: 0 },
])("the connection of a page that $page while its cookie is looked up is taken $count times", async (row) => {
  const found = Promise.withResolvers<CookieSession>();
  const taken: Duplex[] = [];
  const sockets = new PageSockets({
    signIn: { find: () => found.promise },
    sessions: { list: () => Promise.resolve([SESSION]) },
    hostNames: [],
    clock: handClock(),
    takeOver: ({ socket }) => void taken.push(socket),
  });
  await using server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const headers = { connection: "Upgrade", upgrade: "websocket", cookie: "agent=token", origin };
  const page = get(`${origin}/dashboard/api/ws`, { headers });
  page.on("error", () => undefined);
  const [request, socket, head] = (await once(server, "upgrade")) as [IncomingMessage, Duplex, Buffer];
  socket.on("error", () => undefined);
  const gone = new Promise((resolve) => socket.once("close", resolve));
  const upgrading = sockets.upgrade(request, socket, head);
  if (row.leaves) {
    page.socket?.resetAndDestroy();
    socket.resume();
    await gone;
  }
  found.resolve(SESSION);
  await upgrading;
  expect(taken).toHaveLength(row.count);
  sockets.close();
  page.destroy();
  await gone;
});
