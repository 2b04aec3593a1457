import type { Client } from "../client.ts";
import { runClientCommand } from "../commands.ts";
import { chosenItem, filterList, moveChosen, searchedText } from "../overlays/list.ts";
import { openSessions, openToolsets, searchSessions, switchSkill } from "../overlays/open.ts";
import type { ListItem, ListOverlay } from "../overlays/overlay.ts";
import { readTurnChanges, askRewind } from "../overlays/rewind.ts";
import { actOnAgent, actOnQueued, holdAgents } from "./beside-keys.ts";
import { chordKey } from "./chord-keys.ts";
import { fieldKey } from "./field-keys.ts";
import { pagerKey } from "./pager-keys.ts";
import type { Press } from "./press.ts";

/** Keys that move the mark, and how far. */
const STEPS: Readonly<Record<string, number>> = { up: -1, down: 1, tab: 1, pageup: -10, pagedown: 10 };

/** A key while an overlay is open. */
export function overlayKey(client: Client, press: Press): void {
  const { overlay } = client.store.state;
  if (overlay?.kind === "pager") pagerKey(client, overlay, press);
  else if (overlay?.kind === "field") fieldKey(client, overlay, press);
  else if (overlay?.kind === "chords") chordKey(client, press);
  else if (overlay?.renaming !== undefined) renameKey(client, overlay, press);
  else if (overlay?.confirm !== undefined) confirmKey(client, overlay, press);
  else if (overlay !== undefined) listKey(client, overlay, press);
}

const close = ({ dialogs }: Client): void => dialogs.answer(undefined);

function listKey(client: Client, overlay: ListOverlay, press: Press): void {
  const { store } = client;
  const by = STEPS[press.name];
  if (by !== undefined) return store.update({ overlay: moveChosen(overlay, by) });
  switch (press.name) {
    case "escape":
    case "ctrl+c":
      return overlay.filter === "" ? close(client) : store.update({ overlay: filterList(overlay, "") });
    case "backspace":
      return filter(client, overlay, overlay.filter.slice(0, -1));
    case "text": {
      const numbered = numberedChoice(overlay, press.text);
      if (numbered !== undefined) return store.update({ overlay: { ...overlay, chosen: numbered } });
      return filter(client, overlay, overlay.filter + press.text);
    }
    default: {
      const item = chosenItem(overlay);
      if (overlay.list === "sessions" && press.name === "ctrl+n") {
        close(client);
        return client.controller.run(runClientCommand(client, "/new"));
      }
      if (overlay.list === "agents" && press.name === "ctrl+p")
        return client.controller.run(holdAgents(client));
      if (item !== undefined) actOn(client, { overlay, item, key: press.name });
    }
  }
}

/** A number marks a choice of a short list, as it marks the answer of a question, unless it may be a word to search for. */
function numberedChoice({ list, items, filter }: ListOverlay, typed: string): number | undefined {
  if (list !== "pick" || filter !== "" || !/^[1-9]$/.test(typed)) return undefined;
  const isSearched = items.length > 9 || items.some((each) => searchedText(each).includes(typed));
  return isSearched || Number(typed) > items.length ? undefined : Number(typed) - 1;
}

function filter(client: Client, overlay: ListOverlay, words: string): void {
  client.store.update({ overlay: filterList(overlay, words) });
  if (overlay.list === "sessions") client.controller.run(searchSessions(client));
}

interface Act {
  readonly overlay: ListOverlay;
  readonly item: ListItem;
  readonly key: string;
}

function actOn(client: Client, act: Act): void {
  switch (act.overlay.list) {
    case "sessions":
      return actOnSession(client, act);
    case "models":
      return actOnModel(client, act);
    case "toolsets":
      if (act.key === "enter") client.controller.run(switchToolset(client, act.item));
      return;
    case "skills":
      return actOnSkill(client, act);
    case "agents":
      return actOnAgent(client, act.item, act.key);
    case "queue":
      return actOnQueued(client, act.item, act.key);
    case "rewind":
      return actOnTurn(client, act);
    case "pick":
      if (act.key === "enter") client.dialogs.answer(act.item.id);
  }
}

function actOnTurn(client: Client, { item, key }: Act): void {
  if (key !== "enter" && key !== "ctrl+d") return;
  close(client);
  client.controller.run(key === "enter" ? askRewind(client, item) : readTurnChanges(client, item));
}

function actOnSession(client: Client, { overlay, item, key }: Act): void {
  const { store, controller } = client;
  switch (key) {
    case "enter":
      close(client);
      if (item.id !== controller.sessionId) controller.run(controller.resume(item.id));
      return;
    case "ctrl+d": {
      const question = `Delete "${item.label}" for good? Y deletes it, any other key does not.`;
      return store.update({ overlay: { ...overlay, confirm: { id: item.id, question } } });
    }
    case "ctrl+r":
      return store.update({ overlay: { ...overlay, renaming: { id: item.id, text: item.label } } });
    case "ctrl+b":
      close(client);
      return controller.run(branch(client, item.id));
    default:
  }
}

async function branch({ controller }: Client, id: string): Promise<void> {
  if (id !== controller.sessionId)
    await controller.request("session.resume", { session_id: id, omit_messages: true });
  const { session_id } = await controller.request("session.branch", { session_id: id });
  await controller.resume(session_id);
}

function actOnModel(client: Client, { item, key }: Act): void {
  if (key !== "enter" && key !== "ctrl+g") return;
  close(client);
  const { controller } = client;
  const scope = key === "ctrl+g" ? "global" : "session";
  const params = { key: "model", value: item.id, scope, ...controller.where } as const;
  controller.run(
    controller.request("config.set", params).then(({ value, warning, confirm_message }) => {
      controller.note(
        warning ?? confirm_message ?? `The model is ${value} now${scope === "global" ? ", by default" : ""}.`,
      );
    }),
  );
}

function actOnSkill(client: Client, { item, key }: Act): void {
  if (key === "ctrl+g") return client.controller.run(switchSkill(client, item));
  if (key !== "enter" || item.current !== true) return;
  close(client);
  client.prefill(`/${item.id.toLowerCase()} `);
}

async function switchToolset(client: Client, { id, current }: ListItem): Promise<void> {
  const action = current ? "disable" : "enable";
  await client.controller.request("tools.configure", { action, names: [id], ...client.controller.where });
  await openToolsets(client);
}

function confirmKey(client: Client, overlay: ListOverlay, { name, text }: Press): void {
  const { confirm, ...rest } = overlay;
  client.store.update({ overlay: rest });
  if (confirm === undefined || name !== "text" || text.toLowerCase() !== "y") return;
  const remove = async (): Promise<void> => {
    if (confirm.id === client.controller.sessionId)
      throw new Error("This session is open: switch to another one first.");
    await client.controller.request("session.delete", { session_id: confirm.id });
    await openSessions(client);
  };
  client.controller.run(remove());
}

function renameKey(client: Client, overlay: ListOverlay, { name, text }: Press): void {
  const { renaming, ...rest } = overlay;
  if (renaming === undefined) return;
  const write = (words: string): void =>
    client.store.update({ overlay: { ...overlay, renaming: { ...renaming, text: words } } });
  switch (name) {
    case "text":
      return write(renaming.text + text);
    case "backspace":
      return write(renaming.text.slice(0, -1));
    case "ctrl+u":
      return write("");
    case "enter":
      client.store.update({ overlay: rest });
      return client.controller.run(rename(client, renaming.id, renaming.text));
    default:
      return client.store.update({ overlay: rest });
  }
}

async function rename(client: Client, id: string, title: string): Promise<void> {
  await client.controller.request("session.title", { session_id: id, title });
  await openSessions(client);
}
