import { systemClock } from "../../shared/async/clock.ts";
import type { SkillLibrary } from "../../providers/knowledge/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal-text.ts";
import { LiveSettings } from "../../app/config/live-settings.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { homeKnowledge } from "../../app/knowledge/knowledge.ts";
import type { Check } from "../../app/model-setup/provider-check.ts";
import { type ListedSkill, skillEntries } from "../../app/knowledge/skill-entries.ts";

/** `agent skills list`: one line a skill; what is wrong with files goes to stderr. */
export async function listSkills(io: Io, { json }: { readonly json: boolean }): Promise<number> {
  const { entries, warnings } = await withSkills(io, async (library) => ({
    entries: await skillEntries(library, io.cwd),
    warnings: library.list(io.cwd).warnings,
  }));
  if (json) await write(io.stdout, `${JSON.stringify(entries, undefined, 2)}\n`);
  else if (entries.length === 0) await write(io.stdout, "No skills.\n");
  else await write(io.stdout, entries.map((entry) => line(entry, entries)).join(""));
  for (const warning of warnings) await write(io.stderr, `agent: ${forTerminalLine(warning)}\n`);
  return EXIT.completed;
}

/**
 * `agent skills show`: what a skill says.
 *
 * @throws HostError `not_found`
 */
export async function showSkill(
  io: Io,
  { name, json }: { readonly name: string; readonly json: boolean },
): Promise<number> {
  const content = await withSkills(io, async (library) => {
    await library.ready(io.cwd);
    return library.read(name, io.cwd);
  });
  const { skill, body, files } = content;
  const { description, category, source, folder } = skill;
  if (json) {
    const shown = { name: skill.name, description, category, source, folder, body, files };
    await write(io.stdout, `${JSON.stringify(shown, undefined, 2)}\n`);
    return EXIT.completed;
  }
  const more = files.length === 0 ? "" : `\nFiles: ${files.join(", ")}`;
  await write(io.stdout, forTerminal(`${body}\n\n${folder} (${category}, ${source})${more}\n`));
  return EXIT.completed;
}

/**
 * `agent skills enable` and `disable`.
 *
 * @throws HostError `not_found`, `config_invalid`
 */
export async function switchSkill(
  io: Io,
  { name, on }: { readonly name: string; readonly on: boolean },
): Promise<number> {
  const found = await withSkills(io, (library) => library.turn(name, { cwd: io.cwd, on }));
  await write(io.stdout, `The skill ${found} is ${on ? "on" : "off"}.\n`);
  return EXIT.completed;
}

/** What `agent doctor` says of skills: a broken one is no failure of the agent. */
export async function skillsCheck(io: Io): Promise<Check> {
  const { skills, warnings } = await withSkills(io, async (library) => {
    await library.ready(io.cwd);
    return library.list(io.cwd);
  });
  const count = `${skills.length} skill${skills.length === 1 ? "" : "s"}`;
  return { name: "skills", ok: true, text: [count, ...warnings].join("; ") };
}

function line(
  { name, category, source, enabled, description }: ListedSkill,
  all: readonly ListedSkill[],
): string {
  const width = Math.max(...all.map((each) => each.name.length));
  const marks = [category, ...(source === "workspace" ? [source] : []), ...(enabled ? [] : ["off"])].join(
    ", ",
  );
  return `${forTerminalLine(`${name.padEnd(width)}  ${description} (${marks})`)}\n`;
}

/** Skills need neither store nor models. */
async function withSkills<T>(io: Io, use: (library: SkillLibrary) => Promise<T>): Promise<T> {
  const settings = await loadSettings(io.env, io.cwd);
  const options = { environment: io.env, cwd: io.cwd, clock: systemClock, platform: io.platform };
  await using live = new LiveSettings(settings, options);
  return await use(homeKnowledge(live, { clock: systemClock, platform: io.platform, stays: false }).skills);
}
