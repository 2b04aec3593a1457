import { counted } from "../../shared/text/counted.ts";
import type { Client } from "../client.ts";
import type { Result } from "../gateway.ts";
import { joinFacts } from "../text/facts.ts";
import { age } from "../text/figures.ts";
import { fillList, showList } from "./open.ts";
import type { ListItem } from "./overlay.ts";

type Place = Result<"rollback.list">["checkpoints"][number];
type Restored = Result<"rollback.restore">;
type Scope = "conversation" | "files" | "both";

const KEYS = "Enter goes back to before it · Ctrl+D shows what it changed · Esc closes";
/** Characters of a diff that is read. */
const DIFF_CHARACTERS = 400_000;
const MOST_NAMED = 8;
const SCOPES: readonly Scope[] = ["both", "conversation", "files"];

/**
 * Goes back to before a turn. Without words, the places to go back to are shown, the newest first, with what each changed.
 *
 * @param argument - a turn's number, and `conversation`, `files` or `both`
 */
export async function openRewind(client: Client, argument = ""): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return;
  const [turn, word = "both"] = argument.trim().split(/\s+/);
  const scope = SCOPES.find((each) => each === word);
  if (turn !== undefined && turn !== "" && scope !== undefined)
    return await goBack(client, { hash: turn, scope });
  showList(client, "rewind", { title: "Go back to before a prompt", keys: KEYS });
  const { enabled, checkpoints } = await client.controller.request("rollback.list", { session_id });
  const items = enabled
    ? placeItems(checkpoints.toReversed(), client.now())
    : await promptItems(client, session_id);
  fillList(client, "rewind", items);
}

/**
 * Takes back the last turns as a rewind to before them does: asks what goes back, when they changed files.
 *
 * @param argument - how many, one by default, and what goes back
 */
export async function undoTurns(client: Client, argument: string): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return;
  const [wish, count = "1", word] = /^(\d{1,9})?\s*([a-z]+)?$/.exec(argument.trim()) ?? [];
  const scope = SCOPES.find((each) => each === word);
  if (wish === undefined || Number(count) < 1 || (word !== undefined && scope === undefined))
    return client.controller.note(UNDO_USAGE, "error");
  const { enabled, checkpoints } = await client.controller.request("rollback.list", { session_id });
  const turns = checkpoints.filter(({ kind }) => kind === "turn").toReversed();
  const place = turns.at(Math.min(turns.length, Number(count)) - 1);
  if (enabled && place === undefined) return client.controller.note("There is no turn to undo.", "error");
  if (!enabled || place === undefined) return await undoConversation(client, session_id, Number(count));
  if (scope !== undefined) return await goBack(client, { hash: place.hash, scope });
  await askRewind(client, placeItem(place, { now: client.now(), turns: Number(count) }));
}

const UNDO_USAGE = "Usage: /undo [number of turns] [conversation|files|both]";

/** Files are not kept: that they stay is told with the event. */
async function undoConversation(client: Client, session_id: string, turns: number): Promise<void> {
  const { prompts } = await client.controller.request("session.undo", { session_id, turns });
  const [oldest = ""] = prompts;
  if (oldest !== "") client.prefill(oldest);
}

/** Without kept files, the conversation can go back all the same. */
async function promptItems(client: Client, session_id: string): Promise<readonly ListItem[]> {
  const { prompts } = await client.controller.request("session.prompts", { session_id });
  return prompts.map(({ prompt_id, text, at }, index) => ({
    id: `${CONVERSATION}${prompt_id}`,
    label: labelOf(text),
    detail: `${age(at * 1000, client.now())} · takes back ${counted(index + 1, "turn")}`,
    search: text,
    current: false,
  }));
}

/** Marks items that have no files. */
const CONVERSATION = "conversation:";

const labelOf = (text: string): string => (text.trim() === "" ? "(no text)" : text);

/** The newest first. */
function placeItems(places: readonly Place[], now: number): readonly ListItem[] {
  let turns = 0;
  return places.map((place) => {
    if (place.kind === "turn") turns += 1;
    return placeItem(place, { now, turns });
  });
}

function placeItem(
  { hash, message, timestamp, kind, ...place }: Place,
  { now, turns }: { readonly now: number; readonly turns: number },
): ListItem {
  return {
    id: hash,
    label: kind === "rewind" ? "(files were put back)" : labelOf(message),
    detail: joinFacts(
      kind === "turn" ? `takes back ${counted(turns, "turn")}` : kind === "taken_back" ? "taken back" : "",
      age(Date.parse(timestamp), now),
      filesWords(place),
    ),
    search: `${message} ${place.files.map(({ path }) => path).join(" ")}`,
    current: false,
  };
}

type PlaceFiles = Pick<Place, "files" | "more_files" | "added" | "removed" | "restorable">;

function filesWords({ files, more_files, added, removed, restorable }: PlaceFiles): string {
  if (!restorable) return "files not restorable any more";
  const count = files.length + more_files;
  return count === 0 ? "" : `${counted(count, "file")} +${added} -${removed}`;
}

/** Shows what a turn did to files. */
export async function readTurnChanges(client: Client, { id, label }: ListItem): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined || id.startsWith(CONVERSATION)) return;
  const { stat, diff } = await client.controller.request("rollback.diff", {
    session_id,
    hash: id,
    limit: DIFF_CHARACTERS,
  });
  const text = diff === "" ? "It changed no file." : `${stat}\n\n${diff}`;
  client.dialogs.read({ title: label, text, format: "diff" });
}

/** Asks what goes back to before a turn, with what would happen, and lets it. */
export async function askRewind(client: Client, item: ListItem): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return;
  if (item.id.startsWith(CONVERSATION)) {
    const prompt_id = item.id.slice(CONVERSATION.length);
    const { text } = await client.controller.request("session.rewind", { session_id, prompt_id });
    return client.prefill(text);
  }
  const ask = { session_id, hash: item.id, scope: "both", preview: true } as const;
  const preview = await client.controller.request("rollback.restore", ask);
  const { restored = [], conflicts = [], failed = [], history_removed = 0 } = preview;
  // No file was changed: there is nothing to choose from.
  if (restored.length + conflicts.length + failed.length === 0 && history_removed > 0)
    return await goBack(client, { hash: item.id, scope: "conversation" });
  const chosen = await client.dialogs.pick({
    title: `Go back to before: ${item.label}`,
    items: choicesFor(preview),
    keys: "Enter goes back · Esc ends",
  });
  if (chosen === "diff") return await readTurnChanges(client, item);
  const scope = SCOPES.find((each) => each === chosen);
  if (scope !== undefined) await goBack(client, { hash: item.id, scope });
}

function choicesFor(preview: Restored): readonly ListItem[] {
  const { restored = [], removed = [], conflicts = [], not_undone = [], history_removed = 0 } = preview;
  const turns = counted(history_removed, "turn");
  const back = restored.length - removed.length;
  const files = joinFacts(
    [
      ...(back > 0 ? [`restores ${counted(back, "file")}`] : []),
      ...(removed.length > 0 ? [`removes ${counted(removed.length, "file")}`] : []),
    ].join(", "),
    conflicts.length === 0 ? "" : `${conflicts.length} left alone, as somebody else changed them`,
  );
  const lasting = not_undone.length === 0 ? "" : `${not_undone.length} not undone`;
  const item = (id: string, label: string, detail: string): ListItem => ({ id, label, detail });
  const changesFiles = restored.length + conflicts.length > 0;
  return [
    ...(changesFiles && history_removed > 0
      ? [item("both", "The conversation and the files", joinFacts(turns, files, lasting))]
      : []),
    ...(history_removed > 0 ? [item("conversation", "The conversation", joinFacts(turns, lasting))] : []),
    ...(changesFiles ? [item("files", "The files", files)] : []),
    item("diff", "Show what this turn changed", "nothing goes back"),
  ];
}

async function goBack(
  client: Client,
  { hash, scope }: { readonly hash: string; readonly scope: Scope },
): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return;
  const ask = { session_id, hash, scope };
  const end = await client.controller.request("rollback.restore", ask);
  const text = rewoundWords(end);
  if (text !== "") client.controller.note(text);
  else if (scope === "files" && end.restored?.length === 0)
    client.controller.note("No file differs from then.");
  if (end.prompt !== undefined && end.prompt !== "") client.prefill(end.prompt);
  const { conflicts = [] } = end;
  if (conflicts.length === 0) return;
  const answer = await client.dialogs.pick({
    title: `Somebody else changed ${counted(conflicts.length, "file")} meanwhile`,
    items: [
      { id: "leave", label: "Leave them as they are", detail: "" },
      ...conflicts.map(({ path, reason }) => ({ id: path, label: `Overwrite ${path}`, detail: reason })),
    ],
  });
  if (answer === undefined || answer === "leave") return;
  const one = { ...ask, scope: "files", file_path: answer } as const;
  const said = rewoundWords(await client.controller.request("rollback.restore", one));
  if (said !== "") client.controller.note(said);
}

/** What the log does not tell: why files could not go back, and what left the machine. Conflicts are asked about. */
function rewoundWords({ error, failed = [], not_undone = [] }: Restored): string {
  if (error !== undefined) return error;
  const reasons = failed.map(({ path, reason }) => `  ${path}: ${reason}`);
  return [
    ...(reasons.length === 0 ? [] : ["Could not be put back:", ...bounded(reasons)]),
    ...(not_undone.length === 0
      ? []
      : ["Not undone, as it left this machine:", ...bounded(not_undone.map((line) => `  ${line}`))]),
  ].join("\n");
}

const bounded = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST_NAMED
    ? lines
    : [...lines.slice(0, MOST_NAMED), `  … and ${lines.length - MOST_NAMED} more`];
