import type { Attached, Result, SessionInfo } from "./gateway.ts";
import { openAgents, openQueue } from "./overlays/beside.ts";
import { openHistory } from "./overlays/history.ts";
import { openModels, openSessions, openSkills, openToolsets } from "./overlays/open.ts";
import { leaveOrAsk } from "./overlays/leaving.ts";
import { openRewind, undoTurns } from "./overlays/rewind.ts";
import { runSetup } from "./overlays/setup.ts";
import { showChanges } from "./overlays/working-tree.ts";
import { HELP, helpWithCommands } from "./overlays/help.ts";
import { openApprovals } from "./overlays/approvals.ts";
import { openThemes } from "./overlays/themes.ts";
import { type DescribedCommand, openPalette } from "./overlays/palette.ts";
import { openProcesses } from "./overlays/processes.ts";
import type { Client } from "./client.ts";
import { displayCommand } from "./display-command.ts";
import { detailsText } from "./state/details.ts";

interface LocalCommand {
  /** What it does, for who looks for it; without, it is another word for one that says it. */
  readonly about?: string;
  readonly run: (client: Client, argument: string) => void | Promise<void>;
}

const LOCAL: Readonly<Record<string, LocalCommand>> = {
  help: { run: showHelp },
  quit: { about: "Leave; sessions and turns go on", run: leaveOrAsk },
  exit: { run: leaveOrAsk },
  sessions: { run: openSessions },
  switch: { run: openSessions },
  toolsets: { about: "Switch tools on and off for this session", run: openToolsets },
  new: { run: openNew },
  rewind: { about: "Go back to before an earlier prompt", run: openRewind },
  checkpoint: { run: openRewind },
  undo: { about: "Take back the last prompt, or the last n, with what came of them", run: undoTurns },
  history: { about: "Read the conversation from its end", run: openHistory },
  skills: { about: "Use a skill, switch skills on and off", run: openSkills },
  processes: { about: "Read and end the commands that run in the background", run: openProcesses },
  ps: { run: openProcesses },
  bashes: { run: openProcesses },
  detach: {
    about: "Send the running command to the background",
    run: (client) => client.controller.toBackground(),
  },
  palette: { about: "Search in all that can be done", run: showPalette },
  agents: { about: "Show the subagents that run", run: openAgents },
  queued: { about: "Edit, drop and move what waits", run: openQueue },
  timeline: { run: openRewind },
  restore: { run: openRewind },
  chat: { run: openSessions },
  login: { run: runSetup },
  connect: { run: runSetup },
  auth: { run: runSetup },
  editor: { about: "Write in your editor", run: (client) => client.editOutside() },
  mention: { about: "Name a file", run: (client) => client.prefill("@") },
  theme: { about: "Choose the colours", run: openThemes },
  themes: { run: openThemes },
  skin: { run: openThemes },
  thinking: { run: switchThoughts },
  share: { run: (client) => client.controller.note(NOT_SHARED) },
  unshare: { run: (client) => client.controller.note(NOT_SHARED) },
  redo: { run: (client) => client.controller.note(NO_REDO) },
  settings: { run: displayCommand },
  statusline: { run: displayCommand },
  setup: { about: "Set up a model to talk to", run: runSetup },
  diff: { about: "Show what differs from the last commit, new files too", run: showChanges },
  details: { about: "Read the last outputs, changes and thoughts in full", run: showDetails },
  display: { about: "Show or change how the screen looks", run: displayCommand },
  copy: { about: "Copy the last answer, or its code block n", run: (client, which) => client.copy(which) },
};

/** The client's own commands that begin so, for completion. */
export function localCompletions(text: string): readonly { readonly text: string; readonly meta: string }[] {
  return Object.entries(LOCAL).flatMap(([name, { about }]) =>
    about !== undefined && `/${name}`.startsWith(text.toLowerCase()) ? [{ text: name, meta: about }] : [],
  );
}

/** Shows the keys. */
export function showKeys(client: Client): void {
  openHelp(client, HELP);
}

/** All commands, those of the host and the client's own. */
async function allCommands(client: Client): Promise<readonly DescribedCommand[]> {
  const { commands, canon } = await client.controller.request("commands.catalog", client.controller.where);
  const hosts = Object.entries(commands).map(
    ([name, { args, description }]) =>
      [
        `/${name} ${args}`.trim(),
        description,
        Object.keys(canon).filter((alias) => canon[alias] === `/${name}`),
      ] as const,
  );
  const own = localCompletions("/").map(
    ({ text, meta }) =>
      [
        `/${text}`,
        meta,
        Object.keys(LOCAL).filter((alias) => LOCAL[alias]?.run === LOCAL[text]?.run),
      ] as const,
  );
  return [...own, ...hosts];
}

/** Shows the commands and the keys. */
async function showHelp(client: Client): Promise<void> {
  openHelp(client, helpWithCommands(await allCommands(client)));
}

/** Shows all that can be done, to search in. */
async function showPalette(client: Client): Promise<void> {
  const all = await allCommands(client);
  const byName = new Map(all.toReversed().map((each) => [each[0].split(" ", 1)[0] ?? "", each]));
  const commands = [...byName.values()].toReversed();
  await openPalette(client, { commands, run: (command) => runClientCommand(client, command) });
}

function openHelp(client: Client, text: string): void {
  const title = client.store.state.view.skin?.help_header ?? "Keys and commands";
  client.dialogs.read({ title, text, format: "markdown" });
}

async function openNew(client: Client, title: string): Promise<void> {
  const { columns: cols } = client.store.state.size;
  const { session: left } = client.store.state.view;
  const made = await client.controller.request("session.create", { cols, source: "tui", title });
  client.show(made);
  if (left !== undefined) await carryOver(client, left.info, made);
  const name = left?.info.title ?? "";
  const back = left?.talked === true ? ` /resume goes back to ${name === "" ? left.id : `"${name}"`}.` : "";
  client.controller.note(`A new session.${back}`);
}

/** A new session goes on with the model and the mode of the one before; to run everything unasked is said each time. */
async function carryOver({ controller }: Client, before: SessionInfo, made: Attached): Promise<void> {
  const { session_id, info } = made;
  const set = (key: string, value: string): Promise<unknown> =>
    controller.request("config.set", { key, value, session_id, scope: "session" });
  if (before.model !== "" && (before.model !== info.model || before.provider !== info.provider))
    await set("model", `${before.provider}:${before.model}`);
  if (before.mode !== info.mode && before.mode !== "all") await set("mode", before.mode);
}

/** Shows what was thought, put out and changed lately, in full. */
export function showDetails(client: Client): void {
  const text = detailsText(client.store.state.view.details);
  if (text === "") return client.controller.note("There is nothing to read in full yet.");
  client.dialogs.read({ title: "Thoughts, outputs and changes, the newest first", text, format: "diff" });
}

const NOT_SHARED = "Sessions stay on this machine. /export writes this one into a file that you can pass on.";
const NO_REDO =
  "A turn that was taken back is not played again: ↑ brings its prompt back, Enter sends it. Files that were put back can come again: /rewind.";

async function switchThoughts(client: Client, amount: string): Promise<void> {
  const other = client.store.state.display.thinking === "expanded" ? "collapsed" : "expanded";
  await displayCommand(client, `thinking ${amount === "" ? other : amount}`);
}

/** Runs a slash command: one of the client's own, or one of the gateway's. */
export async function runClientCommand(client: Client, text: string, depth = 0): Promise<void> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  const lower = name.toLowerCase();
  if ((lower === "model" || lower === "models") && argument === "") return await openModels(client);
  if (lower === "skills" && argument === "") return await openSkills(client);
  if ((lower === "approvals" || lower === "permissions") && argument === "")
    return await openApprovals(client, (command) => runClientCommand(client, command));
  if (lower === "resume" && argument === "") return await openSessions(client);
  const local = LOCAL[lower];
  if (local !== undefined && Object.hasOwn(LOCAL, lower)) return await local.run(client, argument);
  const outcome = await dispatch(client, text);
  if (outcome === undefined) return;
  if (outcome.type === "alias" && depth === MOST_ALIASES)
    throw new Error(`/${name} leads from one alias to another without end.`);
  await act(client, outcome, depth);
}

/** Commands that lead to commands: so many times at most. */
const MOST_ALIASES = 10;

/** Lets the gateway carry a command out; `undefined` when the person stopped it, which is said. */
async function dispatch(
  { controller }: Client,
  command: string,
): Promise<Result<"command.dispatch"> | undefined> {
  const params = { command, ...controller.where };
  const outcome = await controller.commands.run(command, (signal) =>
    controller.request("command.dispatch", params, { signal }),
  );
  if (outcome === undefined) controller.note(`${command.split(/\s/, 1)[0] ?? ""} was stopped.`);
  return outcome;
}

/** Lines that are shown among the conversation; more are read in a pager. */
const MOST_SHOWN = 16;

async function act(client: Client, outcome: Result<"command.dispatch">, depth: number): Promise<void> {
  const {
    type,
    output = "",
    told = false,
    target = "",
    message = "",
    notice = "",
    session_id,
    exit,
  } = outcome;
  // What a command takes back is told by the event that says so, to all who watch.
  if (notice !== "" && !told) client.controller.note(notice);
  switch (type) {
    case "alias":
      return await runClientCommand(client, `/${target.replace(/^\//, "")}`, depth + 1);
    case "send":
    case "skill":
      await client.controller.submit(message);
      return;
    case "prefill":
      client.prefill(message);
      return;
    case "exec":
      if (told) break;
      if (output.split("\n").length > MOST_SHOWN)
        client.dialogs.read({ title: "Answer", text: output, format: "plain" });
      else if (output.trim() !== "") client.controller.note(output);
  }
  if (exit === true) await leaveOrAsk(client);
  else if (session_id !== undefined && session_id !== client.controller.sessionId)
    await client.controller.resume(session_id);
}
