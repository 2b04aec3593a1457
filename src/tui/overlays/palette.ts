import type { Client } from "../client.ts";
import { age } from "../text/figures.ts";
import type { ListItem } from "./overlay.ts";

/** A thing that a key does, for who does not know the key. */
interface KeyAction {
  readonly label: string;
  readonly key: string;
  readonly run: (client: Client) => unknown;
}

const ACTIONS: readonly KeyAction[] = [
  {
    label: "Next mode: ask, edits, plan, all",
    key: "Shift+Tab",
    run: ({ controller }) => controller.configure({ key: "mode", value: "next" }),
  },
  {
    label: "Stop the turn",
    key: "Esc",
    run: async ({ controller }) => void (await controller.interrupt({ keepQueue: true })),
  },
  { label: "Draw the screen again", key: "Ctrl+L", run: (client) => client.redraw() },
];

/** Commands that have a key, by their names. */
const KEYS: Readonly<Record<string, string>> = {
  "/model": "Ctrl+T",
  "/details": "Ctrl+O",
  "/editor": "Ctrl+G",
  "/sessions": "Ctrl+X",
  "/copy": "Alt+C",
  "/help": "?",
  "/quit": "Ctrl+D",
  "/rewind": "Esc Esc",
  "/plan": "Tab",
  "/detach": "Ctrl+B",
};

/** Sessions in the palette: the newest. */
const SESSIONS = 30;

/** A command as it is typed, with what it does and its other names. */
export type DescribedCommand = readonly [usage: string, about: string, aliases: readonly string[]];

interface PaletteOptions {
  /** All commands, those of the host and the client's own. */
  readonly commands: readonly DescribedCommand[];
  readonly run: (command: string) => Promise<void>;
}

/** All that can be done, in one list to search: what keys do, commands, skills, other sessions. */
export async function openPalette(client: Client, { commands, run }: PaletteOptions): Promise<void> {
  const [skills, sessions] = await Promise.all([skillItems(client), sessionItems(client)]);
  const names = new Set(commands.map(([usage]) => nameOf(usage)));
  const chosen = await client.dialogs.pick({
    title: "What to do",
    items: [
      ...ACTIONS.map(({ label, key }) => ({ id: label, label, detail: key })),
      ...commands.map(commandItem),
      ...skills.filter(({ id }) => !names.has(id)),
      ...sessions,
    ],
    keys: "Enter does it · Esc closes",
  });
  if (chosen === undefined) return;
  const action = ACTIONS.find(({ label }) => label === chosen);
  if (action !== undefined) return void (await action.run(client));
  if (!chosen.startsWith("/")) return await client.controller.resume(chosen);
  const usage = commands.find(([each]) => nameOf(each) === chosen)?.[0] ?? `${chosen} <words>`;
  // What needs more words is put into the composer.
  if (usage.includes("<") && !usage.includes("[")) return client.prefill(`${chosen} `);
  await run(chosen);
}

const nameOf = (usage: string): string => usage.split(" ", 1)[0] ?? usage;

function commandItem([usage, about, aliases]: DescribedCommand): ListItem {
  const name = nameOf(usage);
  const key = Object.hasOwn(KEYS, name) ? ` · ${KEYS[name] ?? ""}` : "";
  return { id: name, label: name, detail: `${about}${key}`, search: [name, ...aliases, about].join(" ") };
}

async function skillItems({ controller, store }: Client): Promise<readonly ListItem[]> {
  const cwd = store.state.view.session?.info.cwd ?? "";
  const where = cwd === "" ? {} : { cwd };
  const { results = [] } = await controller.request("skills.manage", { action: "search", ...where });
  return results
    .filter(({ enabled }) => enabled)
    .map(({ name, description }) => ({
      id: `/${name.toLowerCase()}`,
      label: `/${name.toLowerCase()}`,
      detail: `skill · ${description}`,
      search: `${name} skill ${description}`,
    }));
}

async function sessionItems(client: Client): Promise<readonly ListItem[]> {
  const { sessions } = await client.controller.request("session.list", { limit: SESSIONS });
  return sessions
    .filter(({ id }) => id !== client.controller.sessionId)
    .map(({ id, title, preview, last_active }) => ({
      id,
      label: title || preview || id,
      detail: `session · ${age(last_active * 1000, client.now())}`,
      search: `session ${title} ${preview}`,
    }));
}
