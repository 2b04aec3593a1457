import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { CommandStage, OPEN } from "../kit/command.ts";
import { freePort } from "../kit/free-port.ts";
import { gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

/** Starts a gateway and gives its address, with its token. */
async function startGateway(stage: CommandStage, port: number) {
  const gateway = stage.start(["rpc", "--listen", `127.0.0.1:${port}`], { stdin: OPEN });
  const { promise, resolve } = Promise.withResolvers<string>();
  let said = "";
  gateway.child.stderr.on("data", (text: string) => {
    said += text;
    const address = /ws:\/\/\S+/.exec(said)?.[0];
    if (address !== undefined) resolve(address);
  });
  return { gateway, address: await promise };
}

/** A way to a port that can be cut. */
async function cuttable(port: number) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const inner = connect(port, "127.0.0.1");
    for (const each of [socket, inner]) {
      sockets.add(each);
      each.on("error", () => undefined).on("close", () => [socket, inner].forEach((one) => one.destroy()));
    }
    socket.pipe(inner).pipe(socket);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    // A server that listens on a port has an address with one.
    port: (server.address() as AddressInfo).port,
    cut: () => sockets.forEach((socket) => socket.destroy()),
    [Symbol.asyncDispose]: async () => {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("a gateway elsewhere", () => {
  test("is worked on as if it were here", async () => {
    await using stage = new CommandStage();
    const { address } = await startGateway(stage, 0);
    await using here = new CommandStage();
    await using terminal = new TestTerminal(here, ["--attach", address]);
    await terminal.shows("demo");
    terminal.send("count to 3");
    await terminal.shows(/1[\s\S]*3[\s\S]*tokens\n/);
    expect((await stage.ask(["sessions"])).stdout).toContain("count to 3");
  });

  test("is worked on in plain lines too, from a pipe", async () => {
    await using stage = new CommandStage();
    const { address } = await startGateway(stage, 0);
    await using here = new CommandStage();
    const end = await here.run(["--plain", "--attach", address], { stdin: "count to 3\n" });
    expect(end).toMatchObject({ code: 0, stderr: "" });
    expect(end.stdout).toContain("1 2 3\n");
    expect((await stage.ask(["sessions"])).stdout).toContain("count to 3");
  });

  test("goes on with the answer where it was when the connection comes back", async () => {
    await using stage = new CommandStage();
    const [first, second] = [gate(), gate()];
    await using server = await startModelServer();
    server.script(
      reply([
        say("One.\n\nTwo "),
        waitAt(first),
        say("is whole.\n\nThree "),
        waitAt(second),
        say("is whole."),
      ]),
    );
    stage.configure(config(server.baseUrl));
    const { address } = await startGateway(stage, 0);
    await using way = await cuttable(Number(new URL(address).port));
    await using here = new CommandStage();
    await using terminal = new TestTerminal(here, ["--attach", address.replace(/:\d+/, `:${way.port}`)]);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Two");
    way.cut();
    await terminal.shows("connection was lost");
    first.open();
    await second.reached;
    await terminal.shows(/Connected again[\s\S]*Three/);
    second.open();
    await terminal.shows(/Three is whole\.[\s\S]*tokens\n/);
    for (const text of ["One.", "Two is whole.", "Three is whole."])
      expect(
        terminal.lines().filter((line) => line.includes(text)),
        text,
      ).toHaveLength(1);
  });

  test("may die in the middle of an answer: the client says so, comes back by itself, and the draft is there", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("The first half.\n\nThe second "), waitAt(held)]), reply("A new answer."));
    stage.configure(config(server.baseUrl));
    const port = await freePort();
    const { gateway, address } = await startGateway(stage, port);
    await using here = new CommandStage();
    await using terminal = new TestTerminal(here, ["--attach", address]);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("The second");
    terminal.type("half a thought");
    await terminal.shows("› half a thought");
    gateway.child.kill("SIGKILL");
    await terminal.shows(/connection was lost[\s\S]*reconnecting[\s\S]*half a thought/);
    await gateway.end;
    await startGateway(stage, port);
    await terminal.shows(/Connected again[\s\S]*› half a thought/);
    terminal.type(KEYS.ctrl("u"));
    terminal.send("again");
    await terminal.shows("A new answer.");
    expect(terminal.lines().filter((line) => line.includes("The first half."))).toHaveLength(1);
    held.open();
  });

  test("that cannot be reached is named, with what to do", async () => {
    await using stage = new CommandStage();
    const port = await freePort();
    await using terminal = new TestTerminal(stage, ["--attach", `ws://127.0.0.1:${port}/api/ws`]);
    await terminal.shows(/Disconnected|no gateway/);
    terminal.send("/quit");
    expect(await terminal.exit).toBe(0);
    const plain = await stage.run(["--attach", `ws://127.0.0.1:${port}/api/ws`], { stdin: "hello\n" });
    expect(plain).toMatchObject({ code: 1, stdout: "" });
    expect(plain.stderr).toMatch(/^agent: There is no gateway: .*ECONNREFUSED/);
  });
});
