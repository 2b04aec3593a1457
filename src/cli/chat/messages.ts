import { CHAT_PLATFORMS, Inbox, type InboxEntry } from "../../chat/index.ts";
import { openAgent } from "../../app/compose.ts";
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
  await withInboxes(io, name, async ([inbox]) => void (await inbox?.replay(id)));
  await write(io.stdout, `${id} is answered once more by the gateway.\n`);
}

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
  return forTerminalLine(
    `${id}  ${status.padEnd(9)}  ${localTime(acceptedAt)}  ${event.from.name}: ${text}${why}`,
  );
}

async function withInboxes(
  io: Io,
  platform: string | undefined,
  work: (inboxes: readonly Inbox[]) => Promise<void>,
): Promise<void> {
  const names = CHAT_PLATFORMS.map(({ name }) => name).filter(
    (name) => platform === undefined || name === platform,
  );
  if (names.length === 0)
    throw new HostError("invalid_params", `There is no chat platform ${platform ?? ""}.`);
  await using agent = await openAgent(io, { resident: false });
  const { clock } = agent.host.services;
  await work(names.map((name) => new Inbox(agent.store.records, clock, name)));
}
