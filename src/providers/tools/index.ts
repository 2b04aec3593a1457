import { homedir } from "node:os";
import type { Store, Toolset } from "../../core/index.ts";
import { clarifyTool } from "./clarify.ts";
import { editFileTool } from "./files/edit-file.ts";
import { findRipgrep, ripgrepSearcher } from "./files/ripgrep-search.ts";
import { listFilesTool } from "./files/list-files.ts";
import { ownSearcher } from "./files/own-search.ts";
import { readFileTool } from "./files/read-file.ts";
import { searchFilesTool } from "./files/search-files.ts";
import type { Searcher } from "./files/search.ts";
import { SeenFiles } from "./files/seen-files.ts";
import { type FileChats, sendFileTool } from "./files/send-file.ts";
import { writeFileTool } from "./files/write-file.ts";
import { delegateTool } from "./delegate.ts";
import type { Machine } from "./machine.ts";
import { sessionSearchTool } from "./session-search.ts";
import type { Spawner } from "./spawn/spawner.ts";
import type { BackgroundProcesses } from "./terminal/background.ts";
import { type CommandSites, OUTSIDE_ONLY } from "./terminal/command-site.ts";
import type { TerminalTools } from "./terminal/shell-run.ts";
import { processTool } from "./terminal/process.ts";
import { terminalTool } from "./terminal/terminal.ts";
import { todoTool } from "./todo.ts";
import { type ImagesFor, viewImageTool } from "./vision/view-image.ts";

export type { Machine } from "./machine.ts";
export { listTree } from "./files/walk-tree.ts";
export { type RunEnd, type RunRequest, runToEnd } from "./spawn/run-to-end.ts";
export { isSecret } from "./workspace/sensitive.ts";
export { type PersonCommand, type PersonShellOptions, runForPerson } from "./terminal/person-shell.ts";
export type { Exit, SpawnedChild } from "./spawn/child.ts";
export type { OutputSink } from "./spawn/drain.ts";
export {
  type ChildLedger,
  type DeadHostProcesses,
  Spawner,
  type SpawnerOptions,
  type SpawnRequest,
} from "./spawn/spawner.ts";
export { BackgroundProcesses, type ProcessListener } from "./terminal/background.ts";
export type { BackgroundProcess } from "./terminal/background-process.ts";
export type { CallAsker, CommandSite, CommandSites } from "./terminal/command-site.ts";
export type { ImageFetcher, ImagesFor } from "./vision/view-image.ts";
export { checkHost, hostProblem } from "./sandbox/network/host-list.ts";
export type { ContainerSettings } from "./container/engine.ts";
export type { SandboxAbsence, SandboxAvailability, SandboxPolicy } from "./sandbox/policy.ts";
export type { SandboxProbe, SandboxStatus } from "./sandbox/probe.ts";
export type { HostDecision, HostTarget, RefusedHost, Sandbox, SandboxFindings } from "./sandbox/port.ts";
export { sandboxNotes } from "./terminal/sandbox-notes.ts";
export { writtenRules } from "./command-policy/written-rule.ts";
export type { FileChats } from "./files/send-file.ts";
export { keepInside } from "./workspace/keep-inside.ts";
export { readTextInside } from "./workspace/read-text.ts";

/** Options of the built-in tools. */
export interface BuiltinToolOptions {
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly background: BackgroundProcesses;
  /** For output that is too long for memory, and for sockets; a short path. */
  readonly tempDir: string;
  /** Absolute real paths that are part of no workspace, such as the agent's home: no tool reads or writes there. */
  readonly apart?: readonly string[];
  /** Decides where commands run; without it they run as the user. */
  readonly sites?: CommandSites;
  /** The person's home folder; a workspace that holds it is asked about in everything. That of the process by default. */
  readonly home?: string;
  /** Characters of one result; 29,000 by default, which stays below the core's own limit. */
  readonly outputLimit?: number;
  /** Variables that commands may see beside the usual ones. */
  readonly environment?: readonly string[];
  /** Gets images of the web for `view_image`; without it there are those of the workspace only. */
  readonly imagesFor?: ImagesFor;
  /** The chats to which `send_file` sends; without it there is no such tool. */
  readonly chats?: FileChats;
  /** The sessions that `session_search` looks through; without them there is no such tool. */
  readonly sessions?: Pick<Store, "search">;
  /** Finds ripgrep; `undefined` means that there is none. By default the package's own, else one that is installed. */
  readonly findRipgrep?: () => Promise<string | undefined>;
}

const OUTPUT_LIMIT = 29_000;

/** The tools that come with the host: `files`, `terminal`, `vision`, `todo`, `clarify` and `delegate`. */
export function builtinToolsets(options: BuiltinToolOptions): readonly Toolset[] {
  const { machine, outputLimit: limit = OUTPUT_LIMIT } = options;
  const { apart = [], home = machine.env["HOME"] ?? homedir() } = options;
  const files = { platform: machine.platform, seen: new SeenFiles(), limit, apart, home };
  const terminal = terminalTools({ ...options, limit, apart, home });
  const toolsets = [
    {
      name: "files",
      label: "Files",
      description: "Read, write, edit, search and list files in the workspace",
      tools: [
        readFileTool(files),
        writeFileTool(files),
        editFileTool(files),
        searchFilesTool({ ...files, searcher: searcherOnce(options) }),
        listFilesTool(files),
        ...(options.chats === undefined ? [] : [sendFileTool({ ...files, chats: options.chats })]),
      ],
    },
    {
      name: "terminal",
      label: "Terminal",
      description: "Run commands, also in the background",
      tools: [terminalTool(terminal), processTool(terminal)],
    },
    {
      name: "vision",
      label: "Vision",
      description: "View images of the workspace and the web",
      tools: [viewImageTool({ platform: machine.platform, apart, home, imagesFor: options.imagesFor })],
    },
    {
      name: "todo",
      label: "Todo list",
      description: "Keep a list of steps that the user sees",
      tools: [todoTool()],
    },
    {
      name: "clarify",
      label: "Questions",
      description: "Ask the user a question",
      tools: [clarifyTool()],
    },
    ...(options.sessions === undefined ? [] : [sessionsToolset(options.sessions)]),
    {
      name: "delegate",
      label: "Subagents",
      description: "Let subagents do parts of the work, side by side",
      tools: [delegateTool({ stopProcesses: (session) => endPrograms(session, terminal) })],
    },
  ];
  return toolsets.map((set) => ({ ...set, configured: true }));
}

const sessionsToolset = (sessions: Pick<Store, "search">) => ({
  name: "sessions",
  label: "Earlier sessions",
  description: "Search what was said in earlier sessions",
  tools: [sessionSearchTool(sessions)],
});

const terminalTools = ({
  sites = OUTSIDE_ONLY,
  ...options
}: Omit<TerminalTools, "sites" | "judged"> & Pick<BuiltinToolOptions, "sites">): TerminalTools => ({
  ...options,
  sites,
  judged: { unasked: new WeakSet<object>(), inside: new WeakSet<object>() },
});

/** Ends what a subagent left running, and closes its sandbox. */
async function endPrograms(session: string, { background, sites }: TerminalTools): Promise<number> {
  const stopped = await background.stop(session);
  await sites.close(session);
  return stopped;
}

/** Looks for ripgrep at the first search, not at the start. */
function searcherOnce(options: BuiltinToolOptions): () => Promise<Searcher> {
  const { machine, spawner, findRipgrep: find = () => findRipgrep(machine.env["PATH"]) } = options;
  let searcher: Promise<Searcher> | undefined;
  return () => {
    searcher ??= find().then((program) =>
      program === undefined ? ownSearcher : ripgrepSearcher(program, spawner),
    );
    return searcher;
  };
}
