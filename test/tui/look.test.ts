import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const TRUE_COLOUR = { env: { COLORTERM: "truecolor" } };
/** The colour of the prompt's sign on light ground. */
const ON_LIGHT = "\u001b[1;38;2;0;106;130m›";

describe("the look", () => {
  test("follows the background that the terminal says it has", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, [], { ...TRUE_COLOUR, background: "rgb:ffff/ffff/ffff" });
    await terminal.shows(/demo model answers/);
    const newest = (): string => terminal.raw.slice(terminal.raw.lastIndexOf("›") - 30);
    await terminal.until(() => newest().includes(ON_LIGHT), "the colour");
    expect(newest()).toContain(ON_LIGHT);
    // What the terminal said was never taken for something typed.
    await terminal.shows("› Ask anything");
  });

  test("is that of the skin, whole", async () => {
    await using stage = new CommandStage();
    stage.configure(
      [
        "display:\n  skin: forest",
        "skins:\n  forest:\n    colors:",
        '      prompt: "#112233"\n      ui_border: "#445566"\n      ui_label: "#778899"',
        "    branding:\n      agent_name: Robin\n      welcome: Into the woods.\n      prompt_symbol: $\n      goodbye: Out of the woods.",
        "    help_header: Paths",
        "",
      ].join("\n"),
    );
    await using terminal = new TestTerminal(stage, [], TRUE_COLOUR);
    await terminal.shows(/Robin\nInto the woods\.[\s\S]*\$ Ask anything/);
    expect(terminal.raw).toContain("\u001b[1;38;2;17;34;51m$ ");
    expect(terminal.raw).toContain("\u001b[38;2;68;85;102m── ");
    expect(terminal.raw).toContain("\u001b[38;2;119;136;153mdemo");
    terminal.type("?");
    await terminal.shows(/^Paths/m);
    terminal.type(KEYS.escape);
    await terminal.shows("Ask anything");
    terminal.type(KEYS.ctrl("d"));
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toContain("Out of the woods.");
  });

  test("is chosen by /theme from a list or by name, and kept", async () => {
    await using stage = new CommandStage();
    const purple = "\u001b[1;38;2;189;147;249m›";
    {
      await using terminal = new TestTerminal(stage, [], TRUE_COLOUR);
      await terminal.shows(/demo model answers/);
      terminal.send("/themes");
      await terminal.shows(/Colours[\s\S]*❯ ● agent[\s\S]*plain[\s\S]*Esc closes/);
      terminal.type("drac\r");
      await terminal.shows("✓ theme: dracula");
      await terminal.until(() => terminal.raw.includes(purple), "its colour");
      terminal.send("/theme beige");
      await terminal.shows(/There is no theme "beige": agent, plain, .*dracula/);
    }
    await using again = new TestTerminal(stage, [], TRUE_COLOUR);
    await again.shows("Ask anything");
    await again.until(() => again.raw.includes(purple), "its colour");
    expect(readFileSync(join(stage.home, "config.yaml"), "utf8")).toContain("skin: dracula");
    again.send("/theme agent");
    await again.shows("✓ theme: agent");
  });

  test("is shown while it is marked in the list, and is as before when nothing is taken", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, [], TRUE_COLOUR);
    await terminal.shows(/demo model answers/);
    terminal.send("/themes");
    await terminal.shows(/❯ ● agent[\s\S]*Esc closes/);
    expect(terminal.raw).not.toContain("139;233;253");
    terminal.type("drac");
    await terminal.until(() => terminal.raw.includes("139;233;253"), "its colours");
    terminal.type(KEYS.escape);
    await terminal.shows(/❯ ● agent/);
    const before = terminal.raw.length;
    terminal.type(KEYS.escape);
    await terminal.shows("Ask anything");
    expect(terminal.raw.slice(before)).not.toContain("139;233;253");
    expect(terminal.text()).not.toContain("theme:");
  });

  test("tells Shift+Enter from Enter where the terminal can, and gives the keyboard back", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, [], { tellsKeys: true });
    await terminal.shows(/demo model answers/);
    await terminal.until(() => terminal.raw.includes("\u001b[>1u"), "the protocol of keys");
    terminal.type("one\u001b[13;2utwo");
    await terminal.shows(/› one\n {2}two/);
    terminal.type("\u001b[117;5u\u001b[127u\u001b[117;5u\u001b[99;5u\u001b[99;5u");
    expect(await terminal.exit).toBe(0);
    expect(terminal.raw.split("\u001b[>1u")).toHaveLength(terminal.raw.split("\u001b[<u").length);
  });

  test("says in the title what goes on, and rings when somebody is wanted who looks elsewhere", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    const titles: string[] = [];
    let bells = 0;
    terminal.screen.onTitleChange((title) => titles.push(title));
    terminal.screen.onBell(() => (bells += 1));
    await terminal.shows(/demo model answers/);
    terminal.send("run `rm x`");
    await terminal.shows("Alt+A answers");
    await terminal.until(() => titles.at(-1)?.startsWith("? agent · work-") === true, "a title");
    expect(bells).toBe(0);
    await terminal.answer(4);
    await terminal.shows(/denied[\s\S]*tokens\n/);
    terminal.type("\u001b[O");
    terminal.send("run `rm y`");
    await terminal.until(() => bells === 1, "the bell");
    expect(terminal.text()).not.toContain("[O");
    // The first only stops the turn.
    terminal.type(KEYS.ctrl("c"));
    await terminal.shows(/interrupted ·/);
    terminal.type(KEYS.ctrl("c") + KEYS.ctrl("c"));
    expect(await terminal.exit).toBe(0);
    expect(titles.at(-1)).toBe("");
  });

  test("leaves title and bell alone when they are off", async () => {
    await using stage = new CommandStage();
    stage.configure("display:\n  tui_bell: off\n  tui_title: off\n");
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.type("\u001b[O");
    terminal.send("run `rm x`");
    await terminal.shows("Alt+A answers");
    expect(terminal.raw).not.toContain("\u001b]2;");
    expect(terminal.raw).not.toContain("\u0007");
  });
});
