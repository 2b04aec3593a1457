import { CHAT_PLATFORMS, Inbox, type InboxEntry } from "../../chat/index.ts";
import { connectorList } from "../../app/chat/connector-list.ts";
import { type Agent, openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

interface Wanted {
  readonly platform?: string;
  readonly limit: number;
  readonly json: boolean;
}

const LONGEST = 60;

/** `agent chat list`. @throws HostError `invalid_params` */
export const listMessages = (io: Io, wanted: Wanted): Promise<void> => print(io, wanted, () => true);

/** `agent chat failed`. @throws HostError `invalid_params` */
export const listFailed = (io: Io, wanted: Wanted): Promise<void> =>
  print(io, wanted, ({ status }) => status === "failed");

/** `agent chat replay`. @throws HostError `not_found`, `conflict` */
export async function replayMessage(io: Io, { id }: { readonly id: string }): Promise<void> {
  const [name = ""] = id.split("-");
  const connector = await withInboxes(io, name, async ([inbox], agent) => {
    await inbox?.replay(id);
    const listed = await connectorList(agent.settings, agent.store.records);
    return listed.find(({ platform }) => platform === name);
  });
  const { state = "off", reason } = connector ?? {};
  const when =
    state === "connected" ? "" : `, as soon as ${name} is connected; it is ${state}${reasonWords(reason)}`;
  await write(io.stdout, `${id} is answered once more by the gateway${when}.\n`);
}

const reasonWords = (reason: string | undefined): string =>
  reason === undefined ? "" : `: ${reason.replace(/\.$/, "")}`;

async function print(io: Io, wanted: Wanted, isWanted: (entry: InboxEntry) => boolean): Promise<void> {
  const { platform, limit, json } = wanted;
  await withInboxes(io, platform, async (inboxes) => {
    const lists = await Promise.all(inboxes.map((inbox) => inbox.list({ limit: SCANNED })));
    const entries = lists
      .flat()
      .filter((entry) => entry.event.type === "message" && isWanted(entry))
      .toSorted((a, b) => b.acceptedAt - a.acceptedAt)
      .slice(0, limit);
    if (json) return await printJson(io, entries);
    const lines = entries.map(lineOf);
    await write(io.stdout, `${lines.length === 0 ? "There are none." : lines.join("\n")}\n`);
  });
}

const SCANNED = 5000;

function lineOf({ id, status, event, acceptedAt, error }: InboxEntry): string {
  const text = event.type === "message" ? event.text.replaceAll(/\s+/g, " ").slice(0, LONGEST) : "";
  const why = error === undefined ? "" : ` (${error})`;
  const { from, place } = event;
  // What allow and approvers take.
  const where = place.kind === "direct" ? "" : ` in ${place.chatId}`;
  return forTerminalLine(
    `${id}  ${status.padEnd(9)}  ${localTime(acceptedAt)}  ${from.name} (${from.id})${where}: ${text}${why}`,
  );
}

async function withInboxes<T>(
  io: Io,
  platform: string | undefined,
  work: (inboxes: readonly Inbox[], agent: Agent) => Promise<T>,
): Promise<T> {
  const names = CHAT_PLATFORMS.map(({ name }) => name).filter(
    (name) => platform === undefined || name === platform,
  );
  if (names.length === 0)
    throw new HostError("invalid_params", `There is no chat platform ${platform ?? ""}.`);
  await using agent = await openAgent(io, { resident: false });
  const { clock } = agent.host.services;
  const inboxes = names.map((name) => new Inbox(agent.store.records, clock, name));
  return await work(inboxes, agent);
}
