import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { FIRST_PROGRAMS } from "../../../../src/providers/tools/sandbox/linux/first-program.ts";
import { splice } from "../../../../src/providers/tools/sandbox/network/splice.ts";
import { scratch } from "../scratch.ts";
import { engine, why } from "./sandbox-stage.ts";

/** Both ends of a connection. */
async function connection(): Promise<readonly [Socket, Socket]> {
  await using dir = await scratch();
  const server = createServer({ allowHalfOpen: true }).listen(join(dir.path, "socket"));
  await once(server, "listening");
  const far = connect({ path: join(dir.path, "socket"), allowHalfOpen: true });
  const [near] = (await once(server, "connection")) as [Socket];
  server.close();
  return [far, near];
}

/** All that a connection says until its end; the way to it stays open. */
async function heard(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  await once(socket, "end");
  return text;
}

describe("two connections that are one", () => {
  test("carry both ways, each way until its end", async () => {
    const [one, nearOne] = await connection();
    const [other, nearOther] = await connection();
    splice(nearOne, nearOther);
    one.end("a question");
    expect(await heard(other)).toBe("a question");
    other.end("an answer");
    expect(await heard(one)).toBe("an answer");
  });

  test("still deliver what a connection said before it broke", async () => {
    const [one, nearOne] = await connection();
    const [other, nearOther] = await connection();
    splice(nearOne, nearOther);
    other.write("too long");
    nearOther.once("data", () => setImmediate(() => nearOther.destroy(new Error("reset"))));
    one.write(Buffer.alloc(3_000_000));
    expect(await heard(one)).toBe("too long");
    one.end("that nobody hears");
    await once(one, "close");
    other.destroy();
  });

  test("are ended when one is gone before they meet", async () => {
    const [one, nearOne] = await connection();
    const [other, gone] = await connection();
    gone.destroy();
    await once(gone, "close");
    splice(nearOne, gone);
    expect(await heard(one)).toBe("");
    for (const each of [one, other]) each.destroy();
  });
});

const REFUSAL = "HTTP/1.1 413 Too Large\r\nContent-Length: 8\r\nConnection: close\r\n\r\ntoo long";
const UPLOAD = `for i in 1 2 3 4 5 6 7 8 9 10; do head -c 3000000 /dev/zero | curl -sS -H Expect: --data-binary @- http://127.0.0.1:3128/ 2>&1; echo; done`;

// Skipped where the machine cannot build the walls; the reason is in the name.
describe.skipIf(engine === undefined)(`the relay inside ${why}`, () => {
  test.each(["perl", "python3"] as const)(
    "of %s passes on what was said by a server that then resets its connection",
    async (name) => {
      await using dir = await scratch();
      const path = join(dir.path, "proxy");
      const answer = (socket: Socket): void => {
        socket.on("error", () => socket.destroy());
        // Most of what the client sends stays unread.
        socket.once("data", () => {
          socket.pause();
          socket.write(REFUSAL, () => socket.destroy());
        });
      };
      const server = createServer(answer).listen(path);
      await once(server, "listening");
      const file = `/usr/bin/${name}`;
      const walls = ["--dev-bind", "/", "/", "--unshare-net", "--unshare-pid", "--die-with-parent"];
      const first = [file, ...FIRST_PROGRAMS[name], path, "3128", "0", "0", "/bin/sh", "-c", UPLOAD];
      const { stdout } = await promisify(execFile)("bwrap", [...walls, ...first]);
      expect(stdout).toBe("too long\n".repeat(10));
      server.close();
    },
  );
});
