import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { Connections } from "../../../../src/providers/store/postgres/connections.ts";
import { statement } from "../../../../src/providers/store/postgres/statement.ts";

/** A message of PostgreSQL's protocol: its letter, its length, and what it says. */
function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const READY = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))]);
const SHUT_DOWN = message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0"));

test("a connection that ends as soon as it is there is given up, and the process goes on", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    // In one piece, as a process reads it that was stopped meanwhile: nobody has the connection yet.
    socket.once("data", () => socket.end(Buffer.concat([READY, SHUT_DOWN])));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  const url = `postgres://nobody@127.0.0.1:${port}/none`;
  const connections = new Connections({ url, most: 1, name: "test" });
  const away = { code: "store_unavailable" };
  const one = statement("one", "SELECT 1");
  await expect(connections.query(one)).rejects.toMatchObject(away);
  await expect(connections.transaction((sql) => sql.query(one))).rejects.toMatchObject(away);
  await connections.close();
  await new Promise((resolve) => server.close(resolve));
});
