import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

/** A mistake in a block of config.yaml, and what the doctor says of it. */
const MISTAKES: readonly (readonly [config: string, says: RegExp])[] = [
  ["modl: {}", /^FAIL +config +modl in \S+ is no setting\. Did you mean model\?$/m],
  ["model: {provider: zzz}", /^FAIL +config +model\.provider is zzz, which is no kind of provider/m],
  ["approvals: {mode: foo}", /^FAIL +config +approvals\.mode in \S+ is "foo"/m],
  ["sessions: {auto_titel: true}", /Did you mean sessions\.auto_title\?$/m],
  [
    "jobs: {max_concurent_runs: 2}",
    /^FAIL +gateway +jobs\.\S+ in \S+ is no setting\. Did you mean jobs\.max_concurrent_runs\?$/m,
  ],
  ["detached: {max_hour: 2}", /^FAIL +gateway +detached\..* Did you mean detached\.max_hours\?$/m],
  ["front: {prt: 2}", /^FAIL +gateway +front\..* Did you mean front\.port\?$/m],
  ["fleet: {panel_ulr: x}", /^FAIL +gateway +fleet\..* Did you mean fleet\.panel_url\?$/m],
  ["display: {tui_statusbr: off}", /^FAIL +config +display\..* Did you mean display\.tui_statusbar\?$/m],
  [
    "display: {tui_statusbar: lft}",
    /^FAIL +config +display\.tui_statusbar in \S+ is "lft": .*"top"\|"bottom"/m,
  ],
  ["display: {sections: {tool: hidden}}", /Did you mean display\.sections\.tools\?$/m],
  ["agent: {promt: hi}", /^FAIL +config +agent\..* Did you mean agent\.prompt\?$/m],
  ["gateway: {drain_timeut: 3}", /Did you mean gateway\.drain_timeout\?$/m],
  ["quick_commands: {t: {comand: ls}}", /Did you mean quick_commands\.t\.command\?$/m],
  ["skins: {mine: {tool_prefx: x}}", /Did you mean skins\.mine\.tool_prefix\?$/m],
  ["mcp_servers: {a: {command: cat, timout: 3}}", /Did you mean mcp_servers\.a\.timeout\?$/m],
  ["terminal: {variabels: [A]}", /^FAIL +config +terminal\..* Did you mean terminal\.variables\?$/m],
  ["sandbox: {host: [a.example]}", /^FAIL +config +sandbox\..* Did you mean sandbox\.hosts\?$/m],
  ["checkpoints: {zzz: 1}", /^ok +config .*; nothing here reads checkpoints\.zzz$/m],
  ["jobs: {zzzzzz: 2}", /^ok +config .*; nothing here reads jobs\.zzzzzz$/m],
  ["platforms: {slakc: {}}", /Did you mean platforms\.slack\?$/m],
];

test("the doctor names a mistake in each block, once, and goes on with the other checks", async () => {
  await using stage = new CommandStage();
  for (const [config, says] of MISTAKES) {
    stage.configure(`${config}\n`);
    const { code, stdout, stderr } = await stage.ask(["doctor"]);
    expect([stderr, stdout], config).toEqual(["", expect.stringMatching(says)]);
    const failures = stdout.split("\n").flatMap((line) => (line.startsWith("FAIL") ? [line.slice(16)] : []));
    expect(failures, config).toEqual([...new Set(failures)]);
    expect(code, config).toBe(failures.length === 0 ? 0 : 1);
  }
});
