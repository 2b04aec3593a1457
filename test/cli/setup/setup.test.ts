import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CommandStage } from "../../kit/command.ts";
import { startIdentityServer } from "../../kit/identity-server.ts";
import { LineTerminal } from "../../kit/line-terminal.ts";
import { reply, startModelServer } from "../../kit/model-server/index.ts";
import { site } from "../../kit/site.ts";

const open = async (models = ["big-model", "small-model"]) => {
  const stage = new CommandStage();
  const server = await startModelServer({ models, answer: () => reply("ok") });
  return {
    stage,
    server,
    file: (name: string): string => readFileSync(join(stage.home, name), "utf8"),
    model: (): unknown =>
      (parse(readFileSync(join(stage.home, "config.yaml"), "utf8")) as { model: unknown }).model,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await server.close();
    },
  };
};

describe("setup by flags", () => {
  test("finds out what an address speaks, asks its model for a word, and saves both", async () => {
    await using kit = await open();
    kit.stage.configure(
      "# mine\nmodel:\n  provider: openai # was\n  api_key: old\napprovals:\n  mode: manual\n",
    );
    const { url } = kit.server;
    const { code, stdout, stderr } = await kit.stage.ask([
      "setup",
      "--base-url",
      url,
      "--model",
      "big-model",
    ]);
    expect([code, stdout]).toEqual([0, `Saved to ${join(kit.stage.home, "config.yaml")}: local:big-model\n`]);
    expect(stderr).toMatch(/^ok +provider +local:big-model answered in \d+ ms\n$/);
    expect(kit.model()).toEqual({
      provider: "local",
      base_url: `${url}/v1`,
      api_mode: "chat_completions",
      default: "big-model",
    });
    expect(kit.file("config.yaml")).toMatch(/^# mine[\s\S]*mode: manual/);
    const answer = await kit.stage.ask(["run", "hi"]);
    expect([answer.code, answer.stdout]).toEqual([0, "ok\n"]);
  });

  test("keeps a key from stdin in .env, for its owner's eyes only, and nowhere else", async () => {
    await using kit = await open();
    kit.stage.write(".env", "# kept\nOTHER=1\nCLOUD_FOUNDRY_API_KEY=old\n");
    const { code, stdout, stderr } = await kit.stage.ask(
      [
        "setup",
        "--provider",
        "cloud-foundry",
        "--base-url",
        `${kit.server.url}/openai/v1`,
        "--model",
        "gpt-5",
        "--key-stdin",
      ],
      { stdin: "the-new-key-0123456789\n" },
    );
    expect(code, stderr).toBe(0);
    expect(kit.file(".env")).toBe("# kept\nOTHER=1\nCLOUD_FOUNDRY_API_KEY=the-new-key-0123456789\n");
    expect(statSync(join(kit.stage.home, ".env")).mode & 0o777).toBe(0o600);
    expect(kit.file("config.yaml") + stdout + stderr).not.toContain("the-new-key");
    const { headers, path } = await kit.server.request(1);
    expect([headers.authorization, path]).toEqual(["Bearer the-new-key-0123456789", "/openai/v1/responses"]);
  });

  test("saves nothing that does not work, unless it is told to", async () => {
    await using kit = await open();
    const wrong = { status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' };
    kit.server.script(wrong, wrong);
    const args = ["setup", "--base-url", kit.server.url, "--model", "big-model"];
    const refused = await kit.stage.ask(args);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/FAIL +provider .*Incorrect API key[\s\S]*Nothing was saved/);
    expect(existsSync(join(kit.stage.home, "config.yaml"))).toBe(false);
    const saved = await kit.stage.ask([...args, "--save-anyway"]);
    expect([saved.code, saved.stdout]).toEqual([1, expect.stringContaining("Saved to")]);
    expect(kit.model()).toMatchObject({ default: "big-model" });
  });

  test("takes a deployment that is not listed, and a word for what nobody detects", async () => {
    await using kit = await open([]);
    const { code } = await kit.stage.ask([
      "setup",
      "--provider",
      "messages",
      "--base-url",
      `${kit.server.url}/x/anthropic`,
      "--model",
      "my-deployment",
      "--key-env",
      "MY_KEY",
      "--no-check",
    ]);
    expect(code).toBe(0);
    expect(kit.model()).toEqual({
      provider: "messages",
      base_url: `${kit.server.url}/x/anthropic`,
      api_mode: "messages_api",
      key_env: "MY_KEY",
      default: "my-deployment",
    });
  });

  test("says when a local model has too little context, and stores what it has", async () => {
    await using kit = await open();
    const { stderr } = await kit.stage.ask([
      "setup",
      "--base-url",
      kit.server.url,
      "--model",
      "big-model",
      "--context-length",
      "8192",
    ]);
    expect(stderr).toContain(
      "big-model is served with 8192 tokens of context. The agent is made for 64000 or more",
    );
    expect(kit.model()).toMatchObject({ context_length: 8192 });
  });

  test("stores a scope of its own for keyless mode, and no secret; a preflight that fails may be saved", async () => {
    await using kit = await open();
    await using identity = await startIdentityServer();
    identity.refuse("https://own.example.net");
    const IDENTITY_ENDPOINT = `${identity.url}/msi/token`;
    Object.assign(kit.stage.env, { PATH: "/nonexistent", IDENTITY_ENDPOINT, IDENTITY_HEADER: "x" });
    const { code, stderr } = await kit.stage.ask([
      "setup",
      "--provider",
      "cloud-foundry",
      "--base-url",
      kit.server.url,
      "--model",
      "gpt-4o",
      "--keyless",
      "--scope",
      "https://own.example.net/.default",
      "--save-anyway",
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/FAIL +identity +No identity gave a token for https:\/\/own\.example\.net/);
    expect(kit.model()).toMatchObject({
      auth_mode: "identity_service",
      identity: { scope: "https://own.example.net/.default" },
    });
    expect(existsSync(join(kit.stage.home, ".env"))).toBe(false);
  });

  test("takes a vendor by any of its names, and completes an address", async () => {
    await using kit = await open();
    const address = kit.server.url.replace("http://", "");
    for (const [provider, kind] of [
      ["anthropic", "messages"],
      ["azure", "cloud-foundry"],
      ["groq", "groq"],
    ] as const) {
      const args = [
        "setup",
        "--provider",
        provider,
        "--base-url",
        `${address}/v1`,
        "--model",
        "m",
        "--no-check",
      ];
      expect(await kit.stage.ask(args)).toMatchObject({ code: 0 });
      expect(kit.model()).toMatchObject({
        provider: kind,
        base_url: expect.stringContaining(`http://${address}`),
      });
    }
    const saved = await kit.stage.ask(["setup", "--provider", "mistral", "--model", "m", "--no-check"]);
    expect(saved.stderr).toContain("as MISTRAL_API_KEY");
    kit.stage.configure("model: { provider: anthropic, default: m }\n");
    expect((await kit.stage.ask(["run", "hi"])).stderr).toMatch(
      /ANTHROPIC_API_KEY is not set\..* or run `agent setup`/,
    );
  });

  test("without a terminal and with too few flags fails at once and says which", async () => {
    await using kit = await open();
    const { code, stderr } = await kit.stage.ask(["setup"]);
    expect(code).toBe(2);
    expect(stderr).toContain("agent setup --base-url URL --model NAME");
  });
});

describe("setup on a terminal", () => {
  const choose = async (terminal: LineTerminal, label: string): Promise<void> => {
    const line = await terminal.shows(new RegExp(`(\\d+)\\) ${label}[\\s\\S]*?> `));
    terminal.type(`${/(\d+)\)/.exec(line)?.[1]}\r`);
  };

  test("asks for the address, the key unseen and the model, checks them and saves", async () => {
    await using kit = await open();
    using terminal = new LineTerminal(kit.stage, ["setup"]);
    await choose(terminal, "Another address");
    await terminal.shows(/Address of the endpoint/);
    terminal.type(`${kit.server.url}\r`);
    await terminal.shows(/Key \(Enter when it needs none\): /);
    terminal.type("typed-key-0123456789\r");
    const menu = await terminal.shows(
      /It speaks chat completions and lists 2 models\.[\s\S]*any name \(Enter for \S+\): /,
    );
    expect(menu).not.toContain("typed-key");
    terminal.type("2\r");
    await terminal.shows(/ok +provider +local:small-model answered/);
    expect(await terminal.exit).toBe(0);
    expect(kit.model()).toEqual({
      provider: "local",
      base_url: `${kit.server.url}/v1`,
      api_mode: "chat_completions",
      key_env: "LOCAL_MODEL_KEY",
      default: "small-model",
    });
    expect(kit.file(".env")).toBe("LOCAL_MODEL_KEY=typed-key-0123456789\n");
  });

  test("lists what a vendor's own service has once it has the key", async () => {
    await using kit = await open(["gpt-4o", "text-embedding-3-small"]);
    kit.stage.env["OPENAI_BASE_URL"] = `${kit.server.url}/v1`;
    using terminal = new LineTerminal(kit.stage, ["setup"]);
    await choose(terminal, "OpenAI");
    await terminal.shows(/Key \(it is not shown\): /);
    terminal.type("typed-key-0123456789\r");
    const menu = await terminal.shows(/1\) gpt-4o[\s\S]*any name \(Enter for \S+\): /);
    expect(menu).not.toContain("embedding");
    terminal.type("1\r");
    expect(await terminal.exit).toBe(0);
    expect(kit.model()).toEqual({ provider: "openai", default: "gpt-4o" });
  });

  test("Enter alone takes the first of a list, and of a vendor's models the newest recommended one", async () => {
    await using kit = await open(["gpt-4o", "gpt-5", "gpt-5-mini", "gpt-5.1"]);
    kit.stage.env["OPENAI_BASE_URL"] = `${kit.server.url}/v1`;
    kit.stage.env["OPENAI_API_KEY"] = "a-key-of-the-test-0123";
    using vendor = new LineTerminal(kit.stage, ["setup", "--provider", "openai"]);
    await vendor.shows(/1\) gpt-5\.1[\s\S]*2\) gpt-4o[\s\S]*\(Enter for gpt-5\.1\): /);
    vendor.type("\r");
    expect(await vendor.exit).toBe(0);
    expect(kit.model()).toEqual({ provider: "openai", default: "gpt-5.1" });
    using cloud = new LineTerminal(kit.stage, ["setup", "--provider", "azure", "--base-url", kit.server.url]);
    await cloud.shows(/How do you sign in\?[\s\S]*1\) With a key[\s\S]*\(Enter for 1\) > /);
    cloud.type("\r");
    await cloud.shows(/Key \(it is not shown\): /);
    cloud.type("\u0003");
    expect(await cloud.exit).toBe(130);
  });

  test("begins with the list; what has its key in the environment is on top and says so", async () => {
    await using kit = await open();
    kit.stage.env["GROQ_API_KEY"] = "a-key-of-groq-0123456789";
    using terminal = new LineTerminal(kit.stage, ["setup"]);
    const menu = await terminal.shows(/Where is the model\?[\s\S]*built-in demo model[\s\S]*> /);
    const labels = [...menu.matchAll(/^ +\d+\) ([^:(\r\n]*)/gm)].map(([, label = ""]) => label);
    expect(labels.indexOf("Groq")).toBeLessThan(labels.indexOf("OpenAI"));
    expect(menu).toMatch(/\d+\) Groq: its key is in GROQ_API_KEY/);
    for (const label of [
      "OpenAI",
      "Anthropic",
      "Azure AI Foundry, or another endpoint of that cloud",
      "Gemini",
    ])
      expect(labels).toContain(label);
    for (const label of ["OpenRouter", "Mistral", "DeepSeek", "xAI", "Another address"])
      expect(labels).toContain(label);
    // Each of them is there, whether it runs on this machine or not.
    for (const label of ["Ollama", "LM Studio", "llama.cpp", "vLLM"]) expect(labels).toContain(label);
    terminal.type("\u0003");
    expect(await terminal.exit).toBe(130);
  });

  test("asks a refused key again at once, with the endpoint's own words", async () => {
    await using stage = new CommandStage();
    const keys: (string | undefined)[] = [];
    await using vendor = await site(({ url = "", headers }, response) => {
      keys.push(headers.authorization);
      response.setHeader("content-type", "application/json");
      if (headers.authorization !== "Bearer right-key-0123456789")
        return void response.writeHead(401).end('{"error":{"message":"That key was revoked in May."}}');
      if (url.endsWith("/models")) return void response.end('{"data":[{"id":"gpt-4o"}]}');
      const choice = { index: 0, delta: { content: "ok" }, finish_reason: "stop" };
      response.setHeader("content-type", "text/event-stream");
      response.end(`data: ${JSON.stringify({ id: "1", choices: [choice] })}\n\ndata: [DONE]\n\n`);
    });
    stage.env["OPENAI_BASE_URL"] = `http://127.0.0.1:${vendor.port}/v1`;
    using terminal = new LineTerminal(stage, ["setup", "--provider", "openai"]);
    await terminal.shows(/platform\.openai\.com[\s\S]*Key \(it is not shown\): /);
    terminal.type("wrong-key-0123456789\r");
    const refused = await terminal.shows(
      /•+ \(20[\s\S]*answered 401: "That key was revoked in May\."[\s\S]*Key again/,
    );
    expect(refused).toContain("•••••••• (20 characters)");
    expect(refused).not.toContain("wrong-key");
    terminal.type("right-key-0123456789\r");
    await terminal.shows(/1\) gpt-4o[\s\S]*any name \(Enter for \S+\): /);
    terminal.type("1\r");
    await terminal.shows(/Saved to/);
    expect(await terminal.exit).toBe(0);
    expect(readFileSync(join(stage.home, ".env"), "utf8")).toBe("OPENAI_API_KEY=right-key-0123456789\n");
  });

  test("asks an address again that nothing answers at, and completes one without a scheme", async () => {
    await using kit = await open();
    using terminal = new LineTerminal(kit.stage, ["setup"]);
    await choose(terminal, "Another address");
    await terminal.shows(/Address of the endpoint/);
    terminal.type("127.0.0.1:1\r");
    await terminal.shows(/Key \(Enter when it needs none\): /);
    terminal.type("\r");
    await terminal.shows(
      /127\.0\.0\.1:1 refused the connection[\s\S]*Address again \(Enter keeps http:\/\/127\.0\.0\.1:1\): /,
    );
    terminal.type(`${kit.server.url.replace("http://", "")}\r`);
    await terminal.shows(/any name \(Enter for \S+\): /);
    terminal.type("big-model\r");
    expect(await terminal.exit).toBe(0);
    expect(kit.model()).toMatchObject({ base_url: `${kit.server.url}/v1`, default: "big-model" });
  });

  test("asks for the model again when the endpoint does not know it", async () => {
    await using kit = await open();
    kit.server.script({ status: 404, body: '{"error":{"message":"The model `tiny` does not exist"}}' });
    using terminal = new LineTerminal(kit.stage, [
      "setup",
      "--base-url",
      kit.server.url,
      "--provider",
      "local",
    ]);
    await terminal.shows(/Key \(Enter/);
    terminal.type("\r");
    await terminal.shows(/any name \(Enter for \S+\): /);
    terminal.type("tiny\r");
    await terminal.shows(/The model `tiny` does not exist[\s\S]*Model again \(Enter keeps tiny\): /);
    terminal.type("small-model\r");
    expect(await terminal.exit).toBe(0);
    expect(kit.model()).toMatchObject({ default: "small-model" });
  });

  test("leaves everything as it was when the person leaves", async () => {
    await using kit = await open();
    using terminal = new LineTerminal(kit.stage, ["setup"]);
    await terminal.shows(/Where is the model\?[\s\S]*> /);
    terminal.type("\u0003");
    await terminal.shows(/Nothing was changed/);
    expect(await terminal.exit).toBe(130);
    expect(existsSync(join(kit.stage.home, "config.yaml"))).toBe(false);
  });
});

describe("setup of web search", () => {
  const page = { url: "https://example.com/", title: "Example", description: "words", content: "words" };

  test("tries the engine, and saves it with its key", async () => {
    await using stage = new CommandStage();
    await using web = await site(({ url = "" }, response) => {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify(url.startsWith("/res/") ? { web: { results: [page] } } : { results: [page] }),
      );
    });
    const url = `http://127.0.0.1:${web.port}`;
    stage.configure("# mine\nweb:\n  private_hosts: [wiki.lan] # ours\n");
    const searxng = await stage.ask(["setup", "--web", "searxng", "--base-url", url]);
    expect(searxng).toMatchObject({ code: 0, stderr: expect.stringContaining("SearXNG found 1 page") });
    const args = ["setup", "--web", "brave", "--base-url", url, "--key-stdin"];
    const brave = await stage.ask(args, { stdin: "the-key-of-brave\n" });
    expect(brave).toMatchObject({ code: 0, stdout: expect.stringMatching(/is searched with brave\.\n$/) });
    expect(web.requests.at(-1)?.headers["x-subscription-token"]).toBe("the-key-of-brave");
    const text = readFileSync(join(stage.home, "config.yaml"), "utf8");
    expect(text).toMatch(/^# mine\nweb:\n {2}private_hosts: .* # ours\n/);
    expect(parse(text)).toMatchObject({ web: { search: { provider: "brave", url } } });
    expect(readFileSync(join(stage.home, ".env"), "utf8")).toBe("BRAVE_SEARCH_API_KEY=the-key-of-brave\n");
    expect(text + brave.stdout + brave.stderr).not.toContain("the-key-of-brave");
    expect((await stage.ask(["doctor"])).stdout).toMatch(/ok +web +searches with Brave Search/);
  });

  test("saves nothing that does not work or is not complete, and says what is missing", async () => {
    await using stage = new CommandStage();
    await using web = await site((_request, response) => void response.writeHead(401).end("{}"));
    const args = ["setup", "--web", "tavily", "--base-url", `http://127.0.0.1:${web.port}`, "--key-stdin"];
    const refused = await stage.ask(args, { stdin: "wrong-key" });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^FAIL +web +.*401.*\nNothing was saved\./);
    for (const [wrong, problem] of [
      [["--web", "brave"], "BRAVE_SEARCH_API_KEY"],
      [["--web", "searxng"], "--base-url"],
      [["--web", "searxng", "--base-url", "http://x", "--key-stdin"], "takes no key"],
      [["--web", "brave", "--model", "m"], "by itself"],
    ] as const)
      expect(await stage.ask(["setup", ...wrong])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(problem),
      });
    expect(readdirSync(stage.home)).toEqual([]);
  });
});
