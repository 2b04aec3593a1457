import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AddressInfo, connect } from "node:net";
import { WebSocket } from "ws";
import { describe, expect, test } from "vitest";
import { startModelServer } from "../../kit/model-server/index.ts";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY as KEY, startGateway as start } from "../../kit/gateway-command.ts";

describe("agent gateway", () => {
  test.each(["SIGTERM", "SIGHUP"] as const)(
    "serves on loopback, and ends with 0 when %s tells it to stop",
    async (signal) => {
      await using stage = new CommandStage();
      const { command, url } = await start(stage);
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ messages: [{ role: "user", content: "count to 3" }] }),
      });
      expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "1 2 3" } }] });
      command.child.kill(signal);
      const { code, stdout, stderr } = await command.end;
      expect([code, stdout]).toEqual([0, ""]);
      const lines = stderr.split("\n").filter((line) => line.startsWith("{"));
      expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
        "model.demo",
        "turn.ended",
        "http.request",
        "gateway.draining",
        "gateway.stopped",
      ]);
      expect(stderr).not.toContain(KEY);
    },
  );

  test("tells on stderr what happens, in JSON alone when it is to, and nothing that a terminal obeys", async () => {
    await using stage = new CommandStage();
    const { command, url } = await start(stage, ["--log-format", "json", "--log-level", "debug"]);
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      Buffer.from(
        "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nUser-Agent: a\x9b31mb\x85\r\nConnection: close\r\n\r\n",
        "latin1",
      ),
    );
    await once(socket.resume(), "close");
    const body = JSON.stringify({ messages: [{ role: "user", content: "hi" }], model: "nosuch:model" });
    const headers = { authorization: `Bearer ${KEY}` };
    await (await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body })).text();
    command.child.kill("SIGTERM");
    const { stderr } = await command.end;
    const records = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const events = records.map(({ event }) => event);
    expect(events).toEqual(
      expect.arrayContaining(["server.ready", "http.request", "turn.started", "turn.ended"]),
    );
    expect(records.find(({ path }) => path === "/v1/models")).toMatchObject({ agent: "a\u009b31mb\u0085" });
    expect(stderr).not.toMatch(/[\u007f-\u009f]/);
    expect(stderr).not.toContain(KEY);
  });

  test("says at its start that a local model has little context, and writes down how much it has", async () => {
    const others = { "GET /props": { default_generation_settings: { n_ctx: 8192 } } };
    await using server = await startModelServer({ others });
    await using stage = new CommandStage();
    stage.configure(
      `# mine\nmodel:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: my-own-model\n`,
    );
    const { command } = await start(stage, ["--log-format", "json"]);
    await new Promise<void>((resolve) => {
      let said = "";
      command.child.stderr.on("data", (text: string) => {
        said += text;
        if (said.includes("my-own-model is served with 8192 tokens of context")) resolve();
      });
    });
    command.child.kill("SIGTERM");
    await command.end;
    const text = readFileSync(join(stage.home, "config.yaml"), "utf8");
    expect(text).toMatch(/^# mine\nmodel:\n[^]*models:\n +my-own-model:\n +context_length: 8192\n$/);
  });

  test("says nothing of requests with --log-level error, and a wrong level is refused", async () => {
    await using stage = new CommandStage();
    const { command, url } = await start(stage, ["--log-level", "error"]);
    await (await fetch(`${url}/health`)).text();
    command.child.kill("SIGTERM");
    expect((await command.end).stderr).toMatch(/^agent: API server on [^\n]+\n$/);
    expect(await stage.ask(["gateway", "--log-level", "loud"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Allowed choices are debug, info, warn, error"),
    });
  });

  test("has the gateway's WebSocket on the same port, for the same key", async () => {
    await using stage = new CommandStage();
    const { url } = await start(stage);
    const address = `${url.replace("http", "ws")}/api/ws`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${KEY}` } });
    const [hello] = (await once(socket, "message")) as [Buffer];
    expect(JSON.parse(hello.toString())).toMatchObject({ params: { type: "gateway.ready" } });
    socket.close();
    const stranger = new WebSocket(address);
    const [, refused] = (await once(stranger, "unexpected-response")) as [unknown, IncomingMessage];
    expect(refused.statusCode).toBe(401);
    refused.destroy();
  });

  test.each([
    ["is missing", undefined, "API_SERVER_KEY is not set"],
    ["is short", "short", "API_SERVER_KEY has 5 characters; at least 16"],
    ["is a placeholder", "changeme-changeme-changeme", "API_SERVER_KEY is a placeholder"],
    ["is one character", "a".repeat(20), "API_SERVER_KEY is a placeholder"],
    ["has brackets", "<your key goes here>", "API_SERVER_KEY is a placeholder"],
  ])("does not start when its key %s, and says how to make one", async (_name, key, about) => {
    await using stage = new CommandStage();
    stage.env["API_SERVER_ENABLED"] = "true";
    if (key !== undefined) stage.env["API_SERVER_KEY"] = key;
    const { code, stderr } = await stage.ask(["gateway"]);
    expect(code).toBe(2);
    expect(stderr).toContain(about);
    expect(stderr).toContain("openssl rand -hex 32");
  });

  test.each([
    [{ enabled_toolsets: ["web", "termnal"] }, 'no toolset "termnal". Did you mean terminal?'],
    [{ enabled_toolsets: ["nosuch"] }, "There are files, terminal, web"],
    [{ deliver: "code_host_comment" }, "needs `repo`"],
    [{ deliver: ["log", "orgin"] }, "Did you mean origin?"],
  ])("refuses a job with %j, and says what was meant", async (more, message) => {
    await using stage = new CommandStage();
    const { url } = await start(stage);
    const answer = await fetch(`${url}/api/jobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ schedule: "every 1h", prompt: "Hi", ...more }),
    });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining(JSON.stringify(message).slice(1, -1)),
    ]);
  });

  test("with nothing to start says what could be switched on", async () => {
    await using stage = new CommandStage();
    const { code, stderr } = await stage.ask(["gateway"]);
    expect(code).toBe(2);
    expect(stderr).toContain("API_SERVER_ENABLED=true");
  });

  test("runs jobs alone: no connector is needed", async () => {
    await using stage = new CommandStage();
    const made = await stage.ask(["jobs", "create", "every 1h", "count to 3", "--name", "counting"]);
    expect(made.code).toBe(0);
    const command = stage.start(["gateway"]);
    const ready = Promise.withResolvers<void>();
    command.child.stderr.on("data", (text: string) => {
      if (text.includes("1 job on schedule")) ready.resolve();
    });
    void command.end.then(({ stderr }) => ready.reject(new Error(stderr)));
    await ready.promise;
    command.child.kill("SIGTERM");
    expect((await command.end).code).toBe(0);
  });

  test("a token shows the token that its WebSocket takes, and no start prints it", async () => {
    await using stage = new CommandStage();
    const { url, command } = await start(stage);
    const token = (await stage.ask(["gateway", "token"])).stdout.trim();
    expect(token).toMatch(/^[\w-]{32}$/);
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws?token=${token}`);
    await once(socket, "open");
    socket.close();
    command.child.kill("SIGTERM");
    const { stderr } = await command.end;
    expect(stderr).toContain("`agent gateway token` shows it");
    expect(stderr).not.toContain(token);
  });

  test("says so when its port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    await using stage = new CommandStage();
    const { port } = other.address() as AddressInfo;
    stage.configure(`platforms:\n  api_server:\n    enabled: true\n    extra:\n      port: ${port}\n`);
    stage.write(".env", `API_SERVER_KEY=${KEY}\n`);
    const { code, stderr } = await stage.ask(["gateway"]);
    other.close();
    expect(code).toBe(2);
    expect(stderr).toContain(`Cannot listen on 127.0.0.1:${port}`);
  });
});
