import { stringify } from "yaml";
import { openAgent } from "../../app/compose.ts";
import type { ListedPersona } from "../../app/people/home-personas.ts";
import { openPersonaChanges } from "../../app/people/open-persona-changes.ts";
import type { PersonaChanges } from "../../app/people/persona-changes.ts";
import { type PersonaUse, personaUses, usesText } from "../../app/people/persona-uses.ts";
import { type Io, write } from "../../app/process/io.ts";
import type { PersonaBook } from "../../people/personas/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** `agent persona list`. */
export async function listPersonas(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const all = await withPersonas(io, async ({ listed, uses }) => {
    const used = await uses();
    return listed.map((each) => ({ ...each, uses: used.filter(({ persona }) => persona === each.name) }));
  });
  if (json) return await printJson(io, all);
  const width = Math.max(0, ...all.map(({ name }) => name.length));
  const lines = all.map(({ name, source, fields, uses }) => {
    const whom = uses.length === 0 ? "" : `; for ${usesText(uses)}`;
    const words = fields.instructions.split("\n", 1)[0] ?? "";
    return forTerminalLine(`${name.padEnd(width)}  ${words} (${source}${whom})`);
  });
  await write(
    io.stdout,
    lines.map((line) => `${line}\n`).join("") || "No personas. `agent persona edit <name>` makes one.\n",
  );
}

/** `agent persona show`. @throws HostError `not_found` */
export async function showPersona(
  io: Io,
  { name, json }: { readonly name: string; readonly json: boolean },
): Promise<void> {
  const { persona, versions } = await withPersonas(io, async ({ listed, book }) => ({
    persona: listed.find((each) => each.name === name),
    versions: await book.versions(name),
  }));
  if (persona === undefined)
    throw new HostError(
      "not_found",
      `There is no persona ${name}. \`agent persona list\` lists those that there are.`,
    );
  if (json) return await printJson(io, { ...persona, versions });
  const lines = versions.map(
    ({ version, at, by, fields }) =>
      `# version ${version}, ${new Date(at).toISOString()}, by ${by}${fields === undefined ? ": removed" : ""}\n`,
  );
  await write(io.stdout, forTerminal(`${stringify(persona.fields)}${lines.join("")}`));
}

/** `agent persona remove`. @throws HostError `not_found`, `conflict` while somebody uses it */
export async function removePersona(io: Io, { name }: { readonly name: string }): Promise<void> {
  await withPersonas(io, ({ listed, changes }) => {
    const version = listed.find((each) => each.name === name)?.version ?? 0;
    return changes.remove(name, { by: "terminal", version });
  });
  await write(
    io.stdout,
    `Removed ${forTerminalLine(name)}. Its versions are kept, for one that is made anew under the name.\n`,
  );
}

/** The personas of a home for one command. */
export interface PersonasAtHand {
  readonly book: PersonaBook;
  readonly changes: PersonaChanges;
  readonly listed: readonly ListedPersona[];
  readonly uses: () => Promise<readonly PersonaUse[]>;
  /** Folder of the home. */
  readonly home: string;
}

/** Opens the home's personas for one command. */
export async function withPersonas<T>(io: Io, use: (personas: PersonasAtHand) => T | Promise<T>): Promise<T> {
  await using agent = await openAgent(io, { resident: false });
  const { settings, personas, store, live } = agent;
  await personas.changed();
  return await use({
    ...openPersonaChanges(agent, io.cwd),
    listed: personas.list(),
    uses: () => personaUses({ settings: live.current, records: store.records }),
    home: settings.paths.home,
  });
}
