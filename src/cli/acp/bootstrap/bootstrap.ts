import { homedir } from "node:os";
import { HostError } from "../../../shared/errors/host-error.ts";
import { checkLaunch } from "./check.ts";
import { type EditorEntry, type EditorId, editorOf, EDITORS } from "./editors.ts";
import { launchIn } from "./editor-file.ts";
import { type Launch, launchOf } from "./launch.ts";
import { writeEntry } from "./write-entry.ts";
import { checkLine, printJson } from "../../terminal/output.ts";
import { EXIT, type Io, write, writeLines } from "../../../app/process/io.ts";
import { packageVersion } from "../../../app/process/version.ts";

/** The flags of `agent acp --bootstrap`. */
export interface BootstrapFlags {
  readonly ide?: EditorId;
  readonly json: boolean;
  readonly write: boolean;
  readonly check: boolean;
}

/** `agent acp --bootstrap`: tells editors how to start the agent, and sees whether it starts. Gives the exit code. */
export async function bootstrap(io: Io, flags: BootstrapFlags): Promise<number> {
  const launch = launchOf(io);
  const around = {
    launch,
    version: packageVersion(),
    home: io.env["HOME"] ?? homedir(),
    platform: io.platform,
    configHome: io.env["XDG_CONFIG_HOME"],
  };
  const editors = (flags.ide === undefined ? EDITORS : [flags.ide]).map((id) => editorOf(id, around));
  if (flags.check) {
    const said = flags.ide === undefined ? launch : launchSaidTo(editors);
    return await check(io, said, flags.json);
  }
  if (flags.write) return await writeTo(io, flags.ide, editors);
  if (flags.json) {
    const shown = editors.map(({ entry: _entry, ...editor }) => editor);
    await printJson(io, { launch, editors: shown });
    return EXIT.completed;
  }
  const [only] = editors;
  // One snippet alone can be piped to where it belongs.
  if (flags.ide !== undefined && only !== undefined) await write(io.stdout, `${only.snippet}\n`);
  else for (const editor of editors) await write(io.stdout, `${section(editor)}\n\n`);
  return EXIT.completed;
}

const section = ({ title, hint, snippet }: EditorEntry): string => `# ${title}\n# ${hint}\n${snippet}`;

async function writeTo(io: Io, ide: EditorId | undefined, [editor]: readonly EditorEntry[]): Promise<number> {
  const writable = EDITORS.filter((id) => ["zed", "jetbrains", "vscode", "acpx"].includes(id)).join(", ");
  if (ide === undefined || editor === undefined)
    throw new HostError("command_usage", `--write needs to know the editor: --ide with one of ${writable}.`);
  const { file, entry, title, hint } = editor;
  if (file === undefined || entry === undefined)
    throw new HostError("command_usage", `The file of ${title} is code of yours. ${hint}`);
  const written = writeEntry(file, entry);
  const backup = written.outcome === "changed" ? ` What it was before is in ${written.backup}.` : "";
  await write(io.stdout, `${title}: ${file} ${WORDS[written.outcome]}.${backup}\n`);
  return EXIT.completed;
}

const WORDS = {
  unchanged: "knows this agent already",
  created: "was made and names this agent",
  changed: "now names this agent",
};

/** Reads the command from the editor's own file. */
function launchSaidTo([editor]: readonly EditorEntry[]): Launch {
  if (editor?.file === undefined || editor.entry === undefined)
    throw new HostError(
      "command_usage",
      `What ${editor?.title ?? "it"} was told is code of yours: --check without --ide starts the agent by itself.`,
    );
  return launchIn(editor.file, editor.entry.path);
}

async function check(io: Io, launch: Launch, json: boolean): Promise<number> {
  const steps = await checkLaunch(launch, io);
  if (json) await printJson(io, { launch, steps });
  else for (const step of steps) await writeLines(io.stdout, checkLine(step, 14));
  return steps.every(({ ok }) => ok) ? EXIT.completed : EXIT.failed;
}
