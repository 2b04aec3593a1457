import { connect, createServer, type AddressInfo } from "node:net";
import { Dovecot } from "./dovecot.ts";
import type { Mailbox, MailboxListener } from "./fake-email.ts";

/** The mailbox of a real IMAP server, behind a listener that sees what its reader asks for. */
export async function dovecotMailbox({ heard, seen }: MailboxListener): Promise<Mailbox> {
  const dovecot = await Dovecot.start();
  let isWaitedAt = false;
  const server = createServer((client) => {
    const upstream = connect(dovecot.port, "127.0.0.1");
    client.on("data", (bytes: Buffer) => {
      const said = bytes.toString("latin1");
      isWaitedAt ||= /\bIDLE\r\n/.test(said);
      if (said.includes("\\Seen")) seen();
      heard();
    });
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      socket.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // A server that listens on a port has an address with one.
    port: (server.address() as AddressInfo).port,
    isRead: () => isWaitedAt,
    unseen: () => dovecot.unseen,
    deliver: (mail) => dovecot.deliver(mail),
    async close() {
      server.close();
      await dovecot[Symbol.asyncDispose]();
    },
  };
}
