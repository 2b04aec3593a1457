import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** What becomes of a mail: it is taken, or a fault befalls it. */
export type SmtpVerdict = "take" | "drop" | "lose" | "limit" | "garble";

/** An SMTP server on 127.0.0.1, as https://www.rfc-editor.org/rfc/rfc5321 says it is, as far as a client needs it. */
export class FakeSmtp {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #take: (to: string, mail: Buffer) => SmtpVerdict;

  /** @param take - called with each whole mail; a fault that comes before it was taken must not keep it */
  constructor(take: (to: string, mail: Buffer) => SmtpVerdict) {
    this.#take = take;
    this.#server = createServer({ noDelay: true }, (socket) => this.#serve(socket));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
    let to = "";
    let mail: string[] | undefined;
    let rest = "";
    socket.write("220 mx.example.org ESMTP\r\n");
    socket.setEncoding("latin1").on("data", (text: string) => {
      const lines = (rest + text).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (mail !== undefined && line !== ".") mail.push(line.replace(/^\./, ""));
        else if (mail !== undefined) {
          const bytes = Buffer.from(mail.join("\r\n"), "latin1");
          mail = undefined;
          this.#end(socket, this.#take(to, bytes));
        } else if (line.startsWith("RCPT TO:")) {
          to = /<([^>]*)>/.exec(line)?.[1] ?? "";
          socket.write("250 2.1.5 ok\r\n");
        } else if (line === "DATA") {
          mail = [];
          socket.write("354 go on\r\n");
        } else if (line === "QUIT") socket.end("221 bye\r\n");
        else if (line.startsWith("AUTH PLAIN")) {
          const [, user, password] = Buffer.from(line.slice(11), "base64").toString("utf8").split("\0");
          socket.write(user === "agent" && password === "secret" ? "235 ok\r\n" : "535 5.7.8 no\r\n");
        } else if (line.startsWith("EHLO")) socket.write("250-mx.example.org\r\n250 AUTH PLAIN\r\n");
        else socket.write("250 ok\r\n");
      }
    });
  }

  #end(socket: Socket, verdict: SmtpVerdict): void {
    if (verdict === "drop" || verdict === "lose") socket.destroy();
    else if (verdict === "limit") socket.write("451 4.7.1 slow down\r\n");
    else if (verdict === "garble") socket.end("\u0000\u0001 what\r\n");
    else socket.write("250 2.0.0 taken\r\n");
  }
}
