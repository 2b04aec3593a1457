import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { askingGateway, TOKEN } from "./asking-gateway.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const configOf = (stage: CommandStage): string => {
  const path = join(stage.home, "config.yaml");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

describe("a question of the terminal client", () => {
  test("stands above the composer, which keeps all keys; nothing is marked when one goes into it", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "old.txt"), "x");
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("run `rm old.txt`");
    await terminal.shows("Alt+A answers");
    terminal.type("1 please");
    await terminal.shows(/1 Allow once[\s\S]*Alt\+A answers[\s\S]*› 1 please/);
    terminal.type(KEYS.altA);
    await terminal.shows("marks an answer");
    expect(terminal.text()).not.toContain("❯");
    terminal.type(KEYS.enter);
    terminal.type(KEYS.up);
    terminal.type("4");
    await terminal.shows("❯ 4 Deny");
    terminal.type(KEYS.escape);
    await terminal.shows("Alt+A answers");
    expect(terminal.text()).not.toContain("❯");
    terminal.type(KEYS.altA + "1");
    await terminal.shows("❯ 1 Allow once");
    terminal.type("x1");
    await terminal.shows(/Alt\+A answers[\s\S]*› 1 please1x1/);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(true);
    await terminal.answer(1);
    await terminal.shows(/allowed once[\s\S]*✓ rm[\s\S]*› 1 please1x1/);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(false);
  });

  test("is answered with Alt and a digit, then Enter; the same digits stand for the same answers in each", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "old.txt"), "x");
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("run `rm old.txt`");
    await terminal.shows(/Alt\+1 Allow once\s+Alt\+4 Deny\s+Alt\+5 Deny, and say/);
    terminal.type("a draft");
    await terminal.shows("› a draft");
    // A digit of no answer is nothing.
    terminal.type(KEYS.alt(2));
    terminal.type(KEYS.alt(4));
    await terminal.until(() => {
      // In its first moment a question is entered, and nothing is marked.
      if (terminal.text().includes("marks an answer")) terminal.type(KEYS.alt(4));
      return terminal.text().includes("❯ 4 Deny");
    }, "the marked answer");
    terminal.type(KEYS.alt(1));
    await terminal.shows("❯ 1 Allow once");
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(true);
    terminal.type(KEYS.enter);
    await terminal.shows(/allowed once[\s\S]*✓ rm[\s\S]*› a draft/);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(false);
    terminal.type(KEYS.ctrl("u"));
    terminal.send("run `git tag v1`");
    await terminal.shows(/Alt\+3 Always[\s\S]*Alt\+4 Deny\s+Alt\+5 Deny, and say/);
  });

  test("gives back to the prompt what was typed on in it, and words of a refusal that was not given", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("run `rm x`");
    await terminal.shows("Alt+A answers");
    terminal.type(KEYS.altA);
    await terminal.shows("marks an answer");
    for (const letter of "14 of them") {
      terminal.type(letter);
    }
    await terminal.shows(/Alt\+A answers[\s\S]*› 14 of them/);
    terminal.type(KEYS.altA);
    await terminal.shows("marks an answer");
    terminal.type("5");
    await terminal.shows("❯ 5");
    terminal.type(KEYS.paste(" and more"));
    await terminal.shows(/› 14 of them5 and more/);
    await terminal.answer(5);
    await terminal.shows("Enter denies with these words");
    terminal.type("use y");
    await terminal.shows("› use y");
    terminal.type(KEYS.escape);
    await terminal.shows("marks an answer");
    terminal.type("4");
    await terminal.shows("❯ 4 Deny");
    terminal.type(KEYS.enter);
    await terminal.shows(/→ denied[\s\S]*14 of them5 and more\s+use y/);
    expect(terminal.text()).not.toContain("→ denied: ");
  });

  test("is entered with ↑ from an empty line, and only from there", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("ask me");
    await terminal.shows("Alt+A answers");
    terminal.type("x");
    await terminal.shows("› x");
    terminal.type(KEYS.up);
    await terminal.shows("› ask me");
    terminal.type(KEYS.ctrl("u"));
    await terminal.shows("Write on:");
    await terminal.until(() => {
      if (terminal.text().includes("Alt+A answers")) terminal.type(KEYS.ctrl("u") + KEYS.up);
      return terminal.text().includes("marks an answer");
    }, "the question");
    terminal.type("1");
    await terminal.shows("❯ 1 red");
    terminal.type(KEYS.enter);
    await terminal.shows("→ red");
    expect(terminal.text()).not.toContain("Alt+A answers");
  });

  test('shows what "always" allows before it does, as a step of its own', async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("run `git tag v1`");
    await terminal.answer(3);
    await terminal.shows(
      /Allow this from now on\?[\s\S]*git tag v1\s[\s\S]*git tag \*\s+[\s\S]*git tag with any[\s\S]*1 In this folder: exactly this command\s+2 In this folder: git tag \*\s+3 In every folder: exactly this command\s+4 In every folder: git tag \*\s+5 No, back/,
    );
    expect(terminal.text()).not.toContain("❯");
    terminal.type(KEYS.enter + KEYS.escape);
    await terminal.shows(/Allow this\?[\s\S]*marks an answer/);
    terminal.type("3");
    await terminal.shows("❯ 3");
    terminal.type(KEYS.enter);
    await terminal.shows("Allow this from now on?");
    expect(configOf(stage)).not.toContain("git tag");
    terminal.type("2");
    await terminal.shows("❯ 2 In this folder: git tag *");
    terminal.type(KEYS.enter);
    await terminal.shows("always allowed");
    expect(configOf(stage)).toContain(`in:${realpathSync(stage.workspace)}:git tag *`);
    terminal.send("run `git tag v2; git tag v3`");
    // Nobody is asked any more.
    await terminal.shows(/✗ git tag v2; git tag v3/);
  });

  test("is denied with words, which the model gets", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("run `rm x`");
    await terminal.answer(5);
    await terminal.shows("Enter denies with these words");
    terminal.type(KEYS.paste("keep it,\nit is needed"));
    await terminal.shows("keep it, it is needed");
    terminal.type(KEYS.enter);
    await terminal.shows(/→ denied: keep it, it is needed[\s\S]*They said: keep it, it is needed/);
    expect(terminal.text()).not.toContain("marks an answer");
  });

  test("that ends while it has the keys keeps the rest of an answer from the prompt", async () => {
    const ran: string[] = [];
    await using gateway = await askingGateway(ran, 5);
    await using stage = new CommandStage();
    stage.env["AGENT_GATEWAY_TOKEN"] = TOKEN;
    await using terminal = new TestTerminal(stage, ["--attach", gateway.url]);
    await terminal.shows("script");
    terminal.send("begin");
    await terminal.shows("number 1.");
    const [listed] = await gateway.host.list({ limit: 1, offset: 0 });
    const session = await gateway.host.session(listed?.id ?? "");
    const end = async (): Promise<void> => {
      const { requestId = "", type } = session.questions()[0]?.request ?? {};
      await session.answer(requestId, type === "approval.request" ? { choice: "deny" } : { declined: true });
    };
    // The kinds come in this order: clarify, sudo, secret, approval.
    await end();
    await terminal.shows(/password[\s\S]*number 2\./);
    terminal.type(KEYS.altA);
    await terminal.shows("an empty one refuses");
    terminal.type("hun");
    await terminal.shows("› •••");
    await end();
    await terminal.shows(/This question is over[\s\S]*nothing was sent/);
    terminal.type("ter2");
    terminal.type(KEYS.enter);
    await terminal.shows(/number 3\.[\s\S]*Alt\+A answers[\s\S]*Write on:/);
    await end();
    await terminal.shows(/danger number 4\.[\s\S]*Alt\+A answers/);
    terminal.type(KEYS.altA);
    await terminal.shows("marks an answer");
    await end();
    await terminal.shows("This question is over");
    terminal.type(`1${KEYS.enter}`);
    await terminal.shows(/number 5\.[\s\S]*Alt\+A answers/);
    expect(ran).toEqual([]);
    expect(session.state.queue).toEqual([]);
  });
});
