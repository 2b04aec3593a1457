import { runClientCommand, showDetails, showKeys } from "../commands.ts";
import type { Client } from "../client.ts";
import { isAnswerWord, isCommand, shellCommand } from "../command-text.ts";
import { EMPTY_EDITOR, type TextEditor, insert, removeText, setText, setWritten } from "./text-editor.ts";
import { type Written, expanded } from "./written.ts";
import { change } from "./change.ts";
import { openChords } from "./chord-keys.ts";
import { escapeKey } from "./stop-keys.ts";
import { draftOf, remembered, searchBack, recallNext } from "./prompt-recall.ts";
import { layoutRows, offsetAt } from "./composer-rows.ts";
import { shownQuestion } from "./question-keys.ts";
import { leaveOrAsk } from "../overlays/leaving.ts";
import { openModels } from "../overlays/open.ts";
import type { ScreenSettings } from "../state/display-settings.ts";
import { editKey } from "./edit-keys.ts";
import type { Press } from "./press.ts";

/** A key while the composer has them. */
export function composerKey(client: Client, press: Press): void {
  const { composer } = client.store.state;
  if (composer.search !== undefined) return searchKey(client, press);
  if (composer.completion !== undefined && completionKey(client, press)) return;
  const act = KEYS[press.name];
  if (act !== undefined && act(client) !== "edit") return;
  if (press.name === "text" && press.text === "?" && composer.editor.text === "") return showKeys(client);
  const editor = editKey(composer.editor, press);
  if (editor !== undefined) change(client, editor);
}

type Act = (client: Client) => "edit" | void;

const KEYS: Readonly<Record<string, Act>> = {
  enter: submit,
  up: (client) => vertical(client, -1),
  down: (client) => vertical(client, 1),
  escape: escapeKey,
  tab: otherWay,
  "shift+tab": ({ controller }) => controller.run(controller.configure({ key: "mode", value: "next" })),
  "ctrl+d": (client) =>
    client.store.state.composer.editor.text === "" ? client.controller.run(leaveOrAsk(client)) : "edit",
  "ctrl+r": ({ store }) => {
    const { composer } = store.state;
    const { entries } = composer.recall;
    const search = { words: "", at: searchBack(entries, "", entries.length) ?? 0 };
    store.update({ composer: { ...composer, search, completion: undefined } });
  },
  "ctrl+s": steer,
  "ctrl+b": (client) => (canMove(client) ? client.controller.run(client.controller.toBackground()) : "edit"),
  "ctrl+p": (client) =>
    client.store.state.composer.editor.text === ""
      ? client.controller.run(runClientCommand(client, "/palette"))
      : "edit",
  "ctrl+x": openChords,
  "ctrl+t": (client) => client.controller.run(openModels(client)),
  "ctrl+o": showDetails,
  "ctrl+g": (client) => client.controller.run(client.editOutside()),
  "ctrl+l": (client) => client.redraw(),
  "alt+c": (client) => client.copy(""),
  "ctrl+v": (client) => client.controller.run(pasteImage(client)),
  "ctrl+c": ({ store }) => store.update({ hint: "" }),
};

/** Whether a command runs that can go on in the background. */
const canMove = ({ store }: Client): boolean =>
  store.state.view.shells.length > 0 || store.state.view.tools.some(({ name }) => name === "terminal");

function submit(client: Client): void {
  const { store, controller } = client;
  const { editor } = store.state.composer;
  if (editor.text.endsWith("\\", editor.caret) && editor.caret > 0)
    return change(client, insert(removeText(editor, "left"), "\n"));
  const text = expanded(editor).trim();
  if (text === "") return controller.run(sendQueued(client));
  if (keptFromPrompt(client, text)) return;
  if (!isCommand(text) && !text.startsWith("!")) return send(client, client.store.state.display.enter);
  clear(client, editor);
  const shell = shellCommand(text);
  if (shell !== undefined) return controller.run(controller.shell(shell.command, shell.keep));
  controller.run(runClientCommand(client, text));
}

/**
 * Keeps a word in the composer that was meant for the open question: as a prompt it would mean nothing, and it answers
 * nothing either. Says how the question is answered.
 *
 * @returns whether it was such a word
 */
function keptFromPrompt(client: Client, text: string): boolean {
  const open = shownQuestion(client.store.state);
  if (open === undefined || open.answering.over || !isAnswerWord(text)) return false;
  client.store.update({ hint: "Alt+A goes into the question; Ctrl+S sends this to the agent" });
  return true;
}

/** Sends what is written: into the running turn, behind it, or in its place. Without a turn it begins one. */
function send(client: Client, way: ScreenSettings["enter"]): void {
  const { store, controller } = client;
  const { editor } = store.state.composer;
  const text = expanded(editor).trim();
  clear(client, editor);
  controller.run(
    controller.submit(text, way).then((taken) => {
      if (!taken) restore(client, editor);
    }),
  );
}

/** Tab while a turn runs: what Enter does not do with a prompt. On nothing it goes to planning, and back. */
function otherWay(client: Client): "edit" | void {
  const { composer, view, display } = client.store.state;
  const text = expanded(composer.editor).trim();
  if (view.turn === undefined && composer.editor.text === "")
    return client.controller.run(switchPlan(client));
  if (view.turn === undefined || text === "" || text.startsWith("!") || isCommand(text)) return "edit";
  send(client, display.enter === "steer" ? "queue" : "steer");
}

/** Goes to the mode that plans, and from there back to the mode before it. */
async function switchPlan({ store, controller }: Client): Promise<void> {
  const { view, beforePlan } = store.state;
  const session_id = controller.sessionId;
  const mode = view.session?.info.mode;
  if (session_id === undefined || mode === undefined) return;
  const back = beforePlan?.sessionId === session_id ? beforePlan.mode : "default";
  if (mode !== "plan") store.update({ beforePlan: { sessionId: session_id, mode } });
  await controller.configure({ key: "mode", value: mode === "plan" ? back : "plan" });
}

/** The text goes out of the composer, and into what was sent before. */
function clear(client: Client, { text, pastes }: Written): void {
  const { composer } = client.store.state;
  const sent = { text, pastes };
  const recall = remembered(composer.recall, sent);
  client.remember(sent);
  client.store.update({
    composer: { editor: EMPTY_EDITOR, recall, completion: undefined, search: undefined },
    hint: "",
  });
}

/** What could not be sent is there again, unless something else is being written. */
function restore({ store }: Client, editor: TextEditor): void {
  const { composer } = store.state;
  if (composer.editor.text === "") store.update({ composer: { ...composer, editor } });
}

/** Two Enters on nothing within this stop the turn, in milliseconds. */
const DOUBLE_MS = 450;

/** What is queued is sent now: the turn that it waits for is stopped. */
async function sendQueued(client: Client): Promise<void> {
  const { view, enterAt } = client.store.state;
  const now = client.now();
  const twice = now - enterAt < DOUBLE_MS;
  client.store.update({ enterAt: now });
  const held = view.queue.filter((each) => each.held);
  const session_id = client.controller.sessionId;
  if (held.length > 0 && session_id !== undefined)
    await client.controller.request("prompt.confirm", { session_id });
  else if (view.turn !== undefined && view.queue.length > 0) {
    if (twice) await client.controller.interrupt({ keepQueue: true });
    else client.store.update({ hint: "Enter once more stops this turn and sends what is queued" });
  }
}

function steer(client: Client): void {
  if (expanded(client.store.state.composer.editor).trim() !== "") send(client, "steer");
}

/** Up and down: through the rows of the text, then to queued prompts, then through what was sent before. */
function vertical(client: Client, by: -1 | 1): void {
  const { composer, size, view } = client.store.state;
  const { editor, recall } = composer;
  const layout = layoutRows(editor.text, editor.caret, Math.max(1, size.columns - 3));
  const { row, column } = layout.caret;
  if (layout.rows[row + by] !== undefined) {
    const caret = offsetAt(layout, row + by, column);
    return client.store.update({ composer: { ...composer, editor: { ...editor, caret } } });
  }
  const queued = view.queue.at(-1);
  if (by === -1 && editor.text === "" && queued !== undefined)
    return client.controller.run(takeBack(client, queued.id));
  const { text, pastes } = editor;
  const step = recallNext(recall, by, { text, pastes });
  if (step === undefined) return;
  client.store.update({
    composer: {
      ...composer,
      editor: setWritten(editor, step.shown),
      recall: step.recall,
      completion: undefined,
    },
  });
}

async function takeBack(client: Client, id: string): Promise<void> {
  const [text] = await client.controller.takeBack([id]);
  if (text !== undefined) client.prefill(text);
}

async function pasteImage(client: Client): Promise<void> {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return;
  const pasted = await client.controller.request("clipboard.paste", { session_id });
  if (!pasted.attached) return client.controller.note(pasted.message);
  const mark = client.controller.images.add(session_id, pasted);
  change(client, insert(client.store.state.composer.editor, `${mark} `));
}

/** @returns whether the key was for the list */
function completionKey(client: Client, { name }: Press): boolean {
  const { store } = client;
  const { composer } = store.state;
  const { completion } = composer;
  if (completion === undefined) return false;
  const { items, chosen, touched } = completion;
  const choose = (at: number): boolean => {
    const next = { ...completion, chosen: (at + items.length) % items.length, touched: true };
    store.update({ composer: { ...composer, completion: next } });
    return true;
  };
  switch (name) {
    case "up":
      return choose(chosen - 1);
    case "down":
      return choose(chosen + 1);
    case "tab":
      return complete(client);
    case "enter":
      return touched && complete(client);
    case "escape":
      store.update({ composer: { ...composer, completion: undefined } });
      return true;
    default:
      return false;
  }
}

function complete(client: Client): boolean {
  const { editor, completion } = client.store.state.composer;
  const item = completion?.items[completion.chosen];
  if (completion === undefined || item === undefined) return false;
  const text = editor.text.slice(0, completion.from) + item.text + editor.text.slice(editor.caret);
  if (text === editor.text) return false;
  change(client, { ...setText(editor, text), caret: completion.from + item.text.length });
  return true;
}

function searchKey({ store }: Client, press: Press): void {
  const { composer } = store.state;
  const { search, recall, editor } = composer;
  if (search === undefined) return;
  const find = (words: string, from: number): void => {
    const at =
      searchBack(recall.entries, words, from) ?? (words === search.words ? search.at : recall.entries.length);
    store.update({ composer: { ...composer, search: { words, at } } });
  };
  const end = (found: Written | undefined): void => {
    if (found === undefined) return store.update({ composer: { ...composer, search: undefined } });
    const draft = draftOf(composer);
    const shown = { editor: setWritten(editor, found), recall: { ...recall, at: search.at, draft } };
    store.update({ composer: { ...composer, ...shown, search: undefined } });
  };
  switch (press.name) {
    case "text":
      return find(search.words + press.text, recall.entries.length);
    case "backspace":
      return find(search.words.slice(0, -1), recall.entries.length);
    case "ctrl+r":
      return find(search.words, search.at);
    case "escape":
    case "ctrl+c":
    case "ctrl+g":
      return end(undefined);
    default:
      return end(recall.entries[search.at]);
  }
}
