import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { TestTerminal } from "./terminal.ts";

const BIN = fileURLToPath(new URL("../../bin/agent.js", import.meta.url));
const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

const tmuxVersion = spawnSync("tmux", ["-V"], { encoding: "utf8" });

/** A tmux server of a test's own. */
class Tmux implements Disposable {
  readonly #socket: string;

  constructor(folder: string) {
    this.#socket = join(folder, "tmux");
  }

  run(...args: readonly string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", TERM: "xterm-256color" },
    });
  }

  /** The pane with all that has scrolled away. */
  text(): string {
    return this.run("capture-pane", "-p", "-J", "-S", "-");
  }

  async shows(pattern: RegExp): Promise<void> {
    await vi.waitUntil(() => pattern.test(this.text()), { timeout: 170_000, interval: 100 });
  }

  [Symbol.dispose](): void {
    this.run("kill-server");
  }
}

/** The seconds of the running turn, as its line says them; NaN without it. */
function secondsIn(text: string): number {
  const [, minutes = "0", seconds = ""] = / (?:(\d+) min )?([\d.]+) s ·/.exec(text) ?? [];
  return 60 * Number(minutes) + Number.parseFloat(seconds);
}

describe("hard places", () => {
  test("a terminal that takes nothing does not hold up the agent, and a key is seen before what has piled up", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    const [stalled, said] = [gate(), gate()];
    const lines = Array.from({ length: 2500 }, (_, index) => `line ${index};\n`);
    server.script(reply([say("Here."), waitAt(stalled), say("\n\n```\n", ...lines, "```\n"), waitAt(said)]));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Here.");
    terminal.stall();
    stalled.open();
    // The model's whole answer is taken, by an agent that cannot write a line of it.
    await said.reached;
    terminal.type("typed");
    const { length } = terminal.raw;
    terminal.goOn();
    await terminal.until(() => terminal.raw.includes("typed", length), "the key");
    expect(terminal.raw.indexOf("typed", length) - length).toBeLessThan(40_000);
    said.open();
    await terminal.shows(/line 2499;[\s\S]*tokens\n/);
    const seen = terminal.lines().filter((line) => /^ {2}│ line \d+;$/.test(line));
    expect(seen).toHaveLength(lines.length);
  });

  test.skipIf(tmuxVersion.status !== 0)("in tmux each line stands in the scrollback once", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    const half = gate();
    const lines = Array.from({ length: 60 }, (_, index) => `- item ${index};\n`);
    server.script(reply([say(...lines.slice(0, 30)), waitAt(half), say(...lines.slice(30))]));
    stage.configure(config(server.baseUrl));
    using tmux = new Tmux(stage.folder);
    const env = [`AGENT_HOME=${stage.home}`, `HOME=${stage.folder}`].flatMap((each) => ["-e", each]);
    const size = ["-x", "90", "-y", "20"];
    tmux.run("new-session", "-d", ...size, "-c", stage.workspace, ...env, `${process.execPath} ${BIN}; cat`);
    await tmux.shows(/test-model/);
    tmux.run("send-keys", "go", "Enter");
    await tmux.shows(/item 29;[\s\S]* s ·/);
    // A while later, when nothing wide is drawn any more: what has just been written is not re-broken by every terminal.
    const shown = secondsIn(tmux.text());
    await vi.waitUntil(() => secondsIn(tmux.text()) >= shown + 3, { timeout: 170_000, interval: 100 });
    tmux.run("resize-window", "-x", "60", "-y", "15");
    half.open();
    await tmux.shows(/item 59;[\s\S]*tokens\n/);
    for (const index of lines.keys())
      expect(tmux.text().match(new RegExp(`item ${index};`, "g")), `item ${index}`).toHaveLength(1);
    tmux.run("send-keys", "C-c", "C-c");
    await tmux.shows(/Go on with/);
    expect(tmux.run("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}").trim()).toBe(
      "0 1 0",
    );
  });

  test("where the locale is not UTF-8, all signs are letters", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, [], { env: { LC_ALL: "en_US.ISO-8859-1" } });
    await terminal.shows(/demo model answers/);
    terminal.send("run `echo 'grün 漢'`");
    await terminal.shows(/> run [\s\S]*tokens\n/);
    expect(terminal.text()).toContain("gr?n ??");
    // Everything but what is written here is ASCII.
    // oxlint-disable-next-line no-control-regex
    expect(terminal.raw).toMatch(/^[\x00-\x7f]*$/);
  });

  test("kill -9 leaves no modes on but those that the guide names", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows(/demo model answers/);
    terminal.send("count to 3");
    await terminal.shows("tokens");
    terminal.kill("SIGKILL");
    await terminal.exit;
    const { bracketedPasteMode, mouseTrackingMode } = terminal.screen.modes;
    expect({ bracketedPasteMode, mouseTrackingMode }).toEqual({
      bracketedPasteMode: true,
      mouseTrackingMode: "none",
    });
    expect(terminal.screen.buffer.active.type).toBe("normal");
    // Finding control sequences is what this is for.
    // oxlint-disable-next-line no-control-regex
    const modes = new Set([...terminal.raw.matchAll(/\u001b\[\?(\d+)h/g)].map(([, mode]) => mode));
    expect(modes).toEqual(new Set(["1004", "2004", "2026", "25"]));
  });
});
