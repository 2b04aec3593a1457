import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GatewayClient, spawned } from "../../../src/rpc/client/index.ts";
import { BIN, CommandStage } from "../../kit/command.ts";
import { noSandbox, sandboxStage } from "../../kit/sandbox.ts";

const WRITES = "run `echo made > here; echo no > ../out; cat ../secret; echo $HOME`";

function connected(stage: CommandStage): GatewayClient {
  const { PATH } = process.env;
  const env = { PATH, HOME: stage.folder, AGENT_HOME: stage.home, ...stage.env };
  const connect = spawned({ command: process.execPath, args: [BIN, "rpc"], cwd: stage.workspace, env });
  return new GatewayClient({ connect, reconnect: false });
}

/** A session of the demo model in which questions are answered by `choose`. */
async function talk(
  client: GatewayClient,
  { cwd, mode }: { readonly cwd: string; readonly mode?: "ask" | "edits" | "plan" | "all" },
  choose: (command: string) => "once" | "session" | "always" | "deny",
) {
  const asked: {
    readonly command: string;
    readonly place: string | undefined;
    readonly description: string;
  }[] = [];
  const results: string[] = [];
  const { session_id } = await client.request("session.create", {
    cwd,
    ...(mode === undefined ? {} : { mode }),
  });
  let over = Promise.withResolvers<string>();
  client.subscribe((event) => {
    if (event.session_id !== session_id) return;
    if (event.type === "approval.request") {
      const { command, place, description } = event.payload;
      asked.push({ command, place, description });
      void client.request("approval.respond", { session_id, choice: choose(command) });
    }
    if (event.type === "tool.complete") results.push(JSON.stringify(event.payload));
    if (event.type === "message.complete") over.resolve(event.payload.text);
  });
  return {
    asked,
    results,
    id: session_id,
    async prompt(text: string): Promise<string> {
      over = Promise.withResolvers();
      await client.request("prompt.submit", { session_id, text });
      return await over.promise;
    },
  };
}

// Without bubblewrap there are no walls to look at: the reason is in the name.
describe.skipIf(noSandbox !== undefined)(`with a sandbox ${noSandbox ?? ""}`, () => {
  test("`agent run` runs commands inside, unasked: they write the workspace and nothing else", async () => {
    await using stage = sandboxStage();
    writeFileSync(join(stage.folder, "secret"), "canary");
    const { stdout, code } = await stage.ask(["run", "--demo", WRITES]);
    expect(code).toBe(0);
    expect(readFileSync(join(stage.workspace, "here"), "utf8")).toBe("made\n");
    expect(existsSync(join(stage.folder, "out"))).toBe(false);
    expect(stdout).not.toContain("canary");
    expect(stdout).not.toContain(stage.folder + "\n");
  });

  test("a later `agent run` goes by the proof of an earlier one, in the same walls, which no command can touch", async () => {
    await using stage = sandboxStage();
    await stage.ask(["run", "--demo", "run `true`"]);
    const proofs = join(stage.home, "cache", "sandbox-proofs.json");
    const kept = readFileSync(proofs, "utf8");
    writeFileSync(join(stage.folder, "secret"), "canary");
    const touches = `${WRITES.slice(0, -1)}; cat ${proofs}; echo {} > ${proofs}; rm -rf ${stage.home}\``;
    const { stdout } = await stage.ask(["run", "--demo", touches]);
    expect(readFileSync(join(stage.workspace, "here"), "utf8")).toBe("made\n");
    expect(existsSync(join(stage.folder, "out"))).toBe(false);
    expect(stdout).not.toMatch(/canary|"marks"/);
    expect(readFileSync(proofs, "utf8")).toBe(kept);
  });

  test("`agent run` refuses what would leave, and says so", async () => {
    await using stage = sandboxStage();
    const { stderr, code } = await stage.ask(["run", "--demo", "run `git push origin main`"]);
    expect(stderr).toContain("denied: git push origin main");
    expect(code).toBe(3);
  });

  test("a rule of the run lets it out", async () => {
    await using stage = sandboxStage();
    const rule = ["--allow", "outside:git push *"];
    const { stdout } = await stage.ask(["run", "--demo", ...rule, "run `git push origin main`"]);
    expect(stdout).toContain("not a git repository");
  });

  test("a gateway's client is asked about a host once, while the connection waits; the answer can last", async () => {
    await using stage = sandboxStage();
    await using client = connected(stage);
    const choices = ["deny", "once", "session", "always"] as const;
    const curl = (host: string) =>
      `run \`curl -sS https://${host}.invalid; curl -sS https://${host}.invalid\``;
    const chat = await talk(
      client,
      { cwd: stage.workspace },
      (command) => choices.find((choice) => command.includes(choice)) ?? "deny",
    );
    for (const choice of choices) for (const _ of [1, 2]) await chat.prompt(curl(choice));
    const about = (choice: string) => chat.asked.filter(({ command }) => command.includes(choice)).length;
    expect(choices.map(about)).toEqual([2, 2, 1, 1]);
    expect(chat.asked[0]).toMatchObject({ command: "connect to deny.invalid", place: "inside" });
    expect(chat.asked[0]?.description).toContain("waits for this connection");
    expect(chat.results[0]).toContain("refused connections to deny.invalid");
    expect(chat.results.slice(2).join("")).not.toContain("refused connections");
    expect(readFileSync(join(stage.home, "config.yaml"), "utf8")).toContain("always.invalid");
  });

  test("a question about a host is withdrawn when the command that waits is over", async () => {
    await using stage = sandboxStage();
    await using client = connected(stage);
    const asked = Promise.withResolvers<string>();
    const withdrawn = Promise.withResolvers<string>();
    const over = Promise.withResolvers<undefined>();
    const seen: string[] = [];
    client.subscribe((event) => {
      seen.push(event.type);
      if (event.type === "approval.request") asked.resolve(event.payload.request_id);
      if (event.type === "approval.resolved") withdrawn.resolve(JSON.stringify(event.payload));
      if (event.type === "message.complete") over.resolve(undefined);
    });
    const { session_id } = await client.request("session.create", { cwd: stage.workspace });
    const text = "run `curl -sS https://late.invalid & while test ! -e go; do sleep 0.05; done; kill $!`";
    await client.request("prompt.submit", { session_id, text });
    const question = await asked.promise;
    writeFileSync(join(stage.workspace, "go"), "");
    expect(await withdrawn.promise).toContain(question);
    await over.promise;
    expect(seen.indexOf("approval.resolved")).toBeLessThan(seen.indexOf("tool.complete"));
  });

  test("its modes: ask asks inside too, plan refuses, all asks for what leaves", async () => {
    await using stage = sandboxStage();
    await using client = connected(stage);
    const { workspace: cwd } = stage;
    const ask = await talk(client, { cwd, mode: "ask" }, () => "once");
    await ask.prompt("run `echo a > a`");
    expect(ask.asked).toMatchObject([{ place: "inside" }]);
    expect(ask.asked[0]?.description).toContain("inside the sandbox");
    expect(existsSync(join(cwd, "a"))).toBe(true);
    const plan = await talk(client, { cwd, mode: "plan" }, () => "once");
    await plan.prompt("run `echo b > b`");
    expect(existsSync(join(cwd, "b"))).toBe(false);
    const all = await talk(client, { cwd, mode: "all" }, () => "deny");
    await all.prompt("run `echo c > c`");
    await all.prompt("run `ssh nowhere.invalid`");
    expect(existsSync(join(cwd, "c"))).toBe(true);
    expect(all.asked).toMatchObject([{ command: "ssh nowhere.invalid", place: "outside" }]);
  });

  test("settings take effect without a restart", async () => {
    await using stage = sandboxStage();
    await using client = connected(stage);
    const chat = await talk(client, { cwd: stage.workspace }, () => "deny");
    await chat.prompt("run `echo a > a`");
    expect(chat.asked).toEqual([]);
    stage.configure("terminal: { backend: local }\n");
    await chat.prompt("run `echo b > b`");
    expect(chat.asked).toMatchObject([{ command: "echo b > b", place: "outside" }]);
  });
});

describe("without a sandbox", () => {
  /** A machine without bubblewrap: what is on the path is nothing but this program's own. */
  function bareStage(config: string): CommandStage {
    const stage = sandboxStage();
    stage.configure(config);
    return stage;
  }

  test("a sandbox that is asked for and cannot be is a refusal, and never a command outside", async () => {
    // The workspace holds the folder for temporary files: no wall can be there.
    await using stage = bareStage("terminal: { backend: sandbox }\n");
    stage.env["TMPDIR"] = join(stage.workspace);
    const { stdout } = await stage.ask(["run", "--demo", "--mode", "all", "run `echo a > a`"]);
    expect(stdout).toContain("terminal.backend is sandbox, and there is none here");
    expect(existsSync(join(stage.workspace, "a"))).toBe(false);
  });

  test("auto asks as ever, and says why at the first command of a session", async () => {
    await using stage = bareStage("");
    stage.env["TMPDIR"] = join(stage.workspace);
    await using client = connected(stage);
    const chat = await talk(client, { cwd: stage.workspace }, () => "once");
    await chat.prompt("run `echo a > a`");
    await chat.prompt("run `echo b > b`");
    expect(chat.asked).toMatchObject([{ place: "outside" }, { place: "outside" }]);
    expect(chat.asked[0]?.description).toContain("There is no sandbox: ");
    expect(chat.asked[1]?.description).not.toContain("There is no sandbox: ");
    expect(existsSync(join(stage.workspace, "b"))).toBe(true);
  });

  test.each([
    ["terminal: { backend: bwrap }\n", /terminal\.backend .* is "bwrap"/],
    ["sandbox: { hosts: ['http://a'] }\n", /sandbox\.hosts\.0 .* It is no host/],
    [
      "sandbox: { hosts: [good.test, '..'] }\n",
      /sandbox\.hosts\.1 in .*config\.yaml is "\.\.": It is no host/,
    ],
    ["sandbox: { readable: [a] }\n", /sandbox\.readable\.0 .* It is no absolute path/],
  ])("%s is no setting", async (config, words) => {
    await using stage = bareStage(config);
    expect((await stage.ask(["run", "--demo", "hi"])).stderr).toMatch(words);
  });

  test("a variable names the backend; a wrong one is an error", async () => {
    await using stage = new CommandStage();
    stage.env["AGENT_TERMINAL_BACKEND"] = "none";
    expect((await stage.ask(["run", "--demo", "hi"])).stderr).toContain(
      'AGENT_TERMINAL_BACKEND is "none": write auto, sandbox, local, container.',
    );
  });
});
