import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Host, OpenOptions } from "../../../core/index.ts";
import { openAgent } from "../../../app/compose.ts";
import { type Io, write, writeLines } from "../../../app/process/io.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import { cleanTitle } from "../../../shared/text/clean-title.ts";
import { counted } from "../../../shared/text/counted.ts";
import { forTerminalLine } from "../../../tui/terminal/terminal-text.ts";
import { printJson } from "../../terminal/output.ts";
import { isClaudeCodeLine, readClaudeCode } from "./claude-code.ts";
import { isCodexLine, readCodex } from "./codex.ts";
import { isEventLine, readEventFile } from "./event-file.ts";
import { badLine, fileLines } from "./file-lines.ts";
import type { FileValue, Imported } from "./imported.ts";
import { newestFile, type Program } from "./newest-file.ts";
import { isTranscript, readTranscriptFile } from "./transcript-file.ts";

interface ImportOptions {
  readonly file?: string;
  readonly from?: Program;
  readonly last: boolean;
  readonly cwd?: string;
  readonly title?: string;
  readonly json: boolean;
}

/** The longest title; one of a file is cut. */
const TITLE_CHARACTERS = 100;

/** `agent sessions import`: a new session with the history of a file. All of it is kept, or nothing. */
export async function importSession(io: Io, options: ImportOptions): Promise<void> {
  const imported = readImported(await fileLines(io, await namedFile(io, options)), options.from);
  if (!imported.past.events.some(({ event: { type } }) => type === "turn.start" || type === "history.given"))
    throw badLine("the file", "there is no conversation in it");
  await using agent = await openAgent(io, { resident: false });
  const { host } = agent;
  const notes: string[] = [];
  const cwd = await folderFor(io, host, { options, imported, notes });
  const settings = settingsFor(host, imported, notes);
  const title = options.title ?? fittingTitle(imported.title);
  const { past, sensitive } = imported;
  const open: OpenOptions = { platform: "tui", source: "import", cwd, settings, past };
  const session = await host.open({ ...open, ...defined({ title, sensitive }) });
  const { id, state } = session;
  for (const note of notes) await writeLines(io.stderr, `agent: ${forTerminalLine(note)}\n`);
  if (options.json) {
    const { title: called, counts } = state;
    return await printJson(io, {
      session_id: id,
      title: called,
      cwd,
      model: state.settings.model ?? null,
      turn_count: counts.turns,
      message_count: counts.messages,
      origin: past.origin,
    });
  }
  const what = `Imported "${state.title || state.preview || id}", ${counted(state.counts.turns, "turn")}, as ${id}.`;
  await write(io.stdout, `${forTerminalLine(what)}\nGo on with it: agent --resume ${id}\n`);
}

async function namedFile(io: Io, { file, from, last }: ImportOptions): Promise<string> {
  if (last) {
    if (from === undefined || file !== undefined)
      throw new HostError(
        "command_usage",
        "--last goes with --from claude-code or --from codex, and no file.",
      );
    return await newestFile(io, from);
  }
  if (file !== undefined) return file;
  throw new HostError(
    "command_usage",
    "Name the file, or `-` for stdin; or --from claude-code --last, for the newest session of that program in this folder.",
  );
}

function readImported(lines: readonly FileValue[], from: Program | undefined): Imported {
  const program = from ?? programOf(lines);
  const [first] = lines;
  if (program === "claude-code") return readClaudeCode(lines);
  if (program === "codex") return readCodex(lines);
  if (first !== undefined && isTranscript(first.value)) return readTranscriptFile(first);
  if (first !== undefined && isEventLine(first.value)) return readEventFile(lines);
  throw badLine(
    first?.line ?? 1,
    "it is no event of `agent sessions export`, no conversation of `/export x.json`, and no session of Claude Code or Codex",
  );
}

/** The program that wrote a file, by its first lines: some of theirs say nothing. */
function programOf(lines: readonly FileValue[]): Program | undefined {
  const values = lines.slice(0, 20).map(({ value }) => value);
  if (values.some(isEventLine)) return undefined;
  if (values.some(isClaudeCodeLine)) return "claude-code";
  return values.some(isCodexLine) ? "codex" : undefined;
}

/**
 * The folder that is named; that of the file where a session of this home worked in it before; else the folder of the
 * command: what a stranger's file names does not decide what the agent may reach.
 */
async function folderFor(
  io: Io,
  host: Host,
  {
    options,
    imported,
    notes,
  }: { readonly options: ImportOptions; readonly imported: Imported; readonly notes: string[] },
): Promise<string> {
  if (options.cwd !== undefined) {
    const folder = resolve(io.cwd, options.cwd);
    if (await isFolder(folder)) return folder;
    throw new HostError("command_usage", `--cwd ${options.cwd} is no folder that is there.`);
  }
  const { cwd = "" } = imported;
  if (cwd === "" || cwd === io.cwd) return io.cwd;
  const known = await host.list({ cwd, limit: 1, offset: 0 });
  if (known.length > 0 && (await isFolder(cwd))) return cwd;
  notes.push(`It worked in ${cwd}; here it works in ${io.cwd}. --cwd names another folder.`);
  return io.cwd;
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Its model answers where it is set up here. */
function settingsFor(
  host: Host,
  { model, past }: Imported,
  notes: string[],
): NonNullable<OpenOptions["settings"]> {
  if (model === undefined) return {};
  try {
    const { provider, name } = host.services.models().resolve(model);
    return { provider, model: name };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (past.origin === "agent")
      notes.push(`Its model ${model.provider}:${model.model} is not set up here: the default one answers.`);
    return {};
  }
}

function fittingTitle(title: string | undefined): string | undefined {
  const clean = cleanTitle(title ?? "").slice(0, TITLE_CHARACTERS);
  return clean === "" ? undefined : clean.toWellFormed();
}
