import { stringify } from "yaml";
import { openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";
import { PersonaBook, type PersonaFields } from "../../people/personas/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** A persona as the command shows it. */
interface ListedPersona {
  readonly name: string;
  /** The place where it is changed. */
  readonly source: "edited" | "config.yaml";
  readonly version?: number;
  readonly fields: PersonaFields;
}

/** `agent persona list`. */
export async function listPersonas(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const all = await withPersonas(io, ({ listed }) => listed);
  if (json) return await printJson(io, all);
  const width = Math.max(0, ...all.map(({ name }) => name.length));
  const lines = all.map(({ name, source, fields }) =>
    forTerminalLine(`${name.padEnd(width)}  ${fields.instructions.split("\n", 1)[0] ?? ""} (${source})`),
  );
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

/** The personas of a home for one command. */
export interface PersonasAtHand {
  readonly book: PersonaBook;
  readonly listed: readonly ListedPersona[];
  /** Folder of the home. */
  readonly home: string;
}

/** Opens the home's personas for one command. */
export async function withPersonas<T>(io: Io, use: (personas: PersonasAtHand) => T | Promise<T>): Promise<T> {
  await using agent = await openAgent(io, { resident: false });
  const { blocks, paths } = agent.settings;
  const book = new PersonaBook(agent.store.records, { clock: systemClock });
  const edited = (await book.list()).map(({ name, version, fields }): ListedPersona => ({
    name,
    source: "edited",
    version,
    fields,
  }));
  const old = Object.entries(blocks.personalities ?? {}).map(
    ([name, instructions]) => [name, { instructions }] as const,
  );
  const configured = new Map<string, PersonaFields>([...old, ...Object.entries(blocks.personas ?? {})]);
  const others = [...configured].filter(([name]) => !edited.some((each) => each.name === name));
  const listed = [
    ...edited,
    ...others.map(([name, fields]): ListedPersona => ({ name, source: "config.yaml", fields })),
  ];
  return await use({ book, listed, home: paths.home });
}
