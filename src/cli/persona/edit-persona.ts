import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parse, stringify } from "yaml";
import { type Io, write } from "../../app/process/io.ts";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import { editOutside } from "../tui/edit-outside.ts";
import { withPersonas } from "./persona.ts";

const EMPTY = `# instructions is what the agent is told. Of the others, leave out what should stay as it is:
# model, toolsets, skills, collections (lists of names), budget (tokens, cost).
instructions: |
  
`;

/** `agent persona edit`: what is refused is kept in a file, with the reason. @throws HostError `invalid_params`, `conflict` */
export async function editPersona(
  io: Io,
  { name, file }: { readonly name: string; readonly file?: string },
): Promise<void> {
  const [before, inConfig, home] = await withPersonas(io, ({ listed, home: folder }) => {
    const found = listed.find((each) => each.name === name);
    return [found, found !== undefined && found.source !== "edited", folder] as const;
  });
  if (inConfig)
    throw new HostError(
      "invalid_params",
      `The persona ${name} stands in config.yaml. Change it there, or edit one of another name.`,
    );
  const old = before === undefined ? EMPTY : stringify(before.fields);
  const text = file === undefined ? await edited(io, old) : await readFile(resolve(io.cwd, file), "utf8");
  if (file === undefined && text === old) return await write(io.stdout, `Nothing changed in ${name}.\n`);
  try {
    const fields: unknown = parse(text);
    const saved = await withPersonas(io, ({ changes }) =>
      changes.save(name, fields, { by: "terminal", version: before?.version ?? 0 }),
    );
    await write(
      io.stdout,
      `Saved ${name}, version ${saved.version}: it holds from each session's next turn on.\n`,
    );
  } catch (thrown) {
    if (file !== undefined) throw refused(name, thrown);
    const kept = join(home, `persona-draft-${Date.now()}.yaml`);
    await writeFile(kept, text, { mode: 0o600 });
    throw refused(
      name,
      thrown,
      ` Your text is kept in ${kept}: correct it, then run \`agent persona edit "${name}" --file ${kept}\`.`,
    );
  }
}

async function edited(io: Io, text: string): Promise<string> {
  if (io.stdin.isTTY !== true)
    throw new HostError(
      "invalid_params",
      "There is no terminal to edit in. Give the persona as a YAML file with --file.",
    );
  const after = await editOutside(text, io);
  if (after === undefined)
    throw new HostError(
      "invalid_params",
      "The editor failed, and nothing was saved. Set $EDITOR, or use --file.",
    );
  return after;
}

const refused = (name: string, thrown: unknown, more = ""): HostError =>
  thrown instanceof HostError
    ? new HostError(thrown.code, `${thrown.message}${more}`)
    : new HostError("invalid_params", `The persona ${name} was not saved: ${messageOf(thrown)}${more}`);
