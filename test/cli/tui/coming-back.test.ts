import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { LineTerminal } from "../../kit/line-terminal.ts";
import { TestTerminal } from "../../tui/terminal.ts";

/** The ids of the stored sessions, the newest activity first. */
async function idsOf(stage: CommandStage): Promise<readonly string[]> {
  const { stdout } = await stage.ask(["sessions", "--json"]);
  return (JSON.parse(stdout) as { readonly id: string }[]).map(({ id }) => id);
}

describe("coming back", () => {
  test("agent begins anew and says how to go on; -c goes on where this folder was", async () => {
    await using stage = new CommandStage();
    await stage.ask(["run", "count to 3"]);
    const [first = ""] = await idsOf(stage);
    using fresh = new LineTerminal(stage, ["--plain"]);
    await fresh.shows(/agent -c goes on with "count to 3" \(agent run, now\)[\s\S]*> /);
    fresh.type("/status\r");
    await fresh.shows(/Session {3}\S+/);
    expect(fresh.written).not.toContain(first);
    fresh.type("/quit\r");
    expect(await fresh.exit).toBe(0);

    using again = new LineTerminal(stage, ["--plain", "-c"]);
    await again.shows(
      /count to 3[\s\S]*There is no chat of this folder yet: this is the newest session of it, from agent run\.[\s\S]*> /,
    );
    again.type("/status\r");
    await again.shows(new RegExp(`Session {3}${first}`));
    again.type("/quit\r");
    await again.exit;
  });

  test("agent -c takes the newest chat, agent run -c the newest run; each takes the other's for want of its own", async () => {
    await using stage = new CommandStage();
    const say = async (words: string, ...args: readonly string[]): Promise<void> => {
      using chat = new LineTerminal(stage, ["--plain", ...args]);
      await chat.shows(/\/quit leaves\.[\s\S]*> /);
      chat.type(`${words}\r`);
      await chat.shows(new RegExp(`You said: ${words}[\\s\\S]*real model\\.[\\s\\S]*> `));
      chat.type("/quit\r");
      await chat.exit;
    };
    await say("a chat");
    const [chat = ""] = await idsOf(stage);
    const other = await stage.ask(["run", "--demo", "--json", "-c", "from a run"]);
    expect(other.stderr).toContain(`this goes on with "a chat" (a chat, ${chat})`);
    // It is a run now as well, and still the chat.
    expect(await stage.ask(["run", "--demo", "--json", "-c", "again"])).toMatchObject({ stderr: "" });
    await stage.ask(["run", "--demo", "a script"]);
    const [script = ""] = await idsOf(stage);
    const run = await stage.ask(["run", "--demo", "--output", "json", "-c", "a script again"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ session_id: script });
    await say("more of the chat", "-c");
    expect(await idsOf(stage)).toEqual([chat, script]);
    const { stdout } = await stage.ask(["sessions"]);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/ {2}a chat$/),
      expect.stringMatching(/ {2}\[agent run\] a script$/),
      "",
    ]);
  });

  test("-c in a folder without a session begins one and says so", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, ["-c"]);
    await terminal.shows(/demo model answers/);
    expect(terminal.text()).toContain("There is no session of this folder yet");
  });

  test("--resume without a value shows the list, in which Enter opens the chosen one", async () => {
    await using stage = new CommandStage();
    await stage.ask(["run", "count to 3"]);
    await using terminal = new TestTerminal(stage, ["--resume"]);
    await terminal.shows(/Sessions[\s\S]*❯ +count to 3 .*agent run · now/);
    terminal.type("\r");
    await terminal.shows("› count to 3");
    expect(terminal.text()).not.toContain("❯");
  });

  test("--plain --resume lists them with numbers", async () => {
    await using stage = new CommandStage();
    await stage.ask(["run", "count to 3"]);
    const [id = ""] = await idsOf(stage);
    using terminal = new LineTerminal(stage, ["--plain", "-r"]);
    await terminal.shows(/1\. count to 3 \(agent run, now, /);
    await terminal.shows(/\? /);
    terminal.type("1\r");
    await terminal.shows(/> /);
    terminal.type("/status\r");
    expect(await terminal.shows(/Session {3}\S+/)).toContain(id);
  });

  test("ids may be shortened, and of several with one title the newest is taken, which is said", async () => {
    await using stage = new CommandStage();
    await stage.ask(["run", "count to 3"]);
    await stage.ask(["run", "count to 3"]);
    const [newest = "", older = ""] = await idsOf(stage);
    const byTitle = await stage.ask(["run", "--json", "-r", "count to 3", "hi"]);
    expect(byTitle.stdout).toContain(newest);
    expect(byTitle.stderr).toContain(
      `2 sessions have the title "count to 3": this is the newest, ${newest}. Others: ${older}.`,
    );
    const byId = await stage.ask(["run", "--json", "-r", older.slice(-6), "--demo", "hi"]);
    expect(byId).toMatchObject({ code: 0, stderr: "" });
    expect(byId.stdout).toContain(older);
    const many = await stage.ask(["run", "-r", older.slice(0, 4), "hi"]);
    expect(many).toMatchObject({ code: 1, stdout: "" });
    expect(many.stderr).toMatch(/may be each of 2 sessions: \S+ \("count to 3", now\)/);
    const last = await stage.ask(["run", "--json", "-c", "hi"]);
    expect(last.stdout).toContain(older);
    const deleted = await stage.ask(["sessions", "delete", "count to 3"]);
    expect(deleted.stderr).toContain("Name the one to delete by its id");
  });

  test("only one way of going on can be given", async () => {
    await using stage = new CommandStage();
    const end = await stage.ask(["--plain", "-c", "-s", "x"]);
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("Only one of --continue, --resume and --session");
  });
});
