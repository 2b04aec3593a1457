import { systemClock } from "../../shared/async/clock.ts";
import type { SkillLibrary } from "../../providers/knowledge/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { withLiveSettings } from "../../app/config/with-live-settings.ts";
import { counted } from "../../shared/text/counted.ts";
import { printJson } from "../terminal/output.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";
import { homeKnowledge } from "../../app/knowledge/knowledge.ts";
import type { Check } from "../../app/model-setup/provider-checks.ts";
import { type ListedSkill, skillEntries } from "../../app/knowledge/skill-entries.ts";

const UNTRUSTED = "Nobody has said that this folder is trusted; `agent trust add` does.";

/** `agent skills list`: one line a skill; what is wrong with files goes to stderr. */
export async function listSkills(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const { entries, warnings, leftOut } = await withSkills(io, async (library) => ({
    entries: await skillEntries(library, io.cwd),
    warnings: library.list(io.cwd).warnings,
    leftOut: library.leftOut(io.cwd),
  }));
  const lines = entries.map((entry) => line(entry, entries)).join("");
  await (json ? printJson(io, entries) : write(io.stdout, lines || "No skills.\n"));
  if (leftOut.length > 0)
    await writeLines(
      io.stderr,
      `agent: ${forTerminalLine(`Not read: ${leftOut.join(", ")}. ${UNTRUSTED}`)}\n`,
    );
  for (const warning of warnings) await writeLines(io.stderr, `agent: ${forTerminalLine(warning)}\n`);
}

/** `agent skills show`: what a skill says. @throws HostError `not_found` */
export async function showSkill(
  io: Io,
  { name, json }: { readonly name: string; readonly json: boolean },
): Promise<void> {
  const content = await withSkills(io, async (library) => {
    await library.ready(io.cwd);
    return library.read(name, io.cwd);
  });
  const { skill, body, files } = content;
  const { description, category, source, folder } = skill;
  if (json) {
    const shown = { name: skill.name, description, category, source, folder, body, files };
    return await printJson(io, shown);
  }
  const more = files.length === 0 ? "" : `\nFiles: ${files.join(", ")}`;
  await write(io.stdout, forTerminal(`${body}\n\n${folder} (${category}, ${source})${more}\n`));
}

/** `agent skills enable`. @throws HostError `not_found`, `config_invalid` */
export const enableSkill = (io: Io, { name }: { readonly name: string }): Promise<void> =>
  switchSkill(io, name, true);

/** `agent skills disable`. @throws HostError `not_found`, `config_invalid` */
export const disableSkill = (io: Io, { name }: { readonly name: string }): Promise<void> =>
  switchSkill(io, name, false);

async function switchSkill(io: Io, name: string, on: boolean): Promise<void> {
  const found = await withSkills(io, (library) => library.turn(name, { cwd: io.cwd, on }));
  await write(io.stdout, `The skill ${found} is ${on ? "on" : "off"}.\n`);
}

/** Checks the skills for `agent doctor`. A broken skill is no failure of the agent. */
export async function skillsCheck(io: Io): Promise<Check> {
  const { skills, warnings } = await withSkills(io, async (library) => {
    await library.ready(io.cwd);
    return library.list(io.cwd);
  });
  return { name: "skills", ok: true, text: [counted(skills.length, "skill"), ...warnings].join("; ") };
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

const withSkills = <T>(io: Io, use: (library: SkillLibrary) => Promise<T>): Promise<T> =>
  withLiveSettings(io, (live) =>
    use(homeKnowledge(live, { clock: systemClock, platform: io.platform, stays: false }).skills),
  );
