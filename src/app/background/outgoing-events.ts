import { readTranscript, type SessionRecord } from "../../core/index.ts";
import { AddressBook, OutgoingEvents, sessionEvents } from "../../automation/outgoing/index.ts";
import { AuditLog } from "../../dashboard/index.ts";
import type { ServerLog } from "../../http/index.ts";
import { watchedConnectors } from "../chat/watched-connectors.ts";
import type { Agent } from "../compose.ts";
import { checkEventUrl, eventFetcher } from "../web/fetchers.ts";
import { addressFile } from "./address-file.ts";
import { postEvent } from "./post-event.ts";
import { signInEvents } from "./sign-in-events.ts";

/** The events that this home sends to other software. */
export function outgoingEvents(agent: Agent, log: ServerLog | undefined): OutgoingEvents {
  const { host, store, live } = agent;
  const { records } = store;
  const { clock, hex, report } = host.services;
  const audit = new AuditLog(records, { clock, hex });
  return new OutgoingEvents({
    records,
    clock,
    hostId: store.hostId,
    hex,
    report,
    addresses: addressBook(agent),
    post: postEvent(eventFetcher(live, clock)),
    connectors: () => watchedConnectors(live.current, records),
    sources: [
      sessionEvents({
        feed: store.feed.bind(store),
        record: store.record.bind(store),
        answer: (session, end) => answerOf(agent, session, end),
        report,
      }),
      signInEvents(audit),
    ],
    async switchedOff({ id }, reason) {
      const changed = { before: { enabled: true }, after: { enabled: false, reason } };
      const what = { action: "webhook-address.switched", subject: id, ...changed };
      await audit.note({ who: "agent", from: "this machine", ...what });
      log?.({ event: "webhook.address_off", level: "error", address: id, reason });
    },
  });
}

function addressBook({ host, live, texts }: Agent): AddressBook {
  const { clock, hex } = host.services;
  const { load: read, change: write } = addressFile(texts);
  return new AddressBook({ read, write, clock, hex, checkUrl: (url) => checkEventUrl(live, url) });
}

/** Entries of a turn that are looked through for its answer. */
const ENTRIES = 100;

/** The text of the answer that a turn ended with. @param end - the cursor of the turn's last row */
async function answerOf(
  { store }: Pick<Agent, "store">,
  { id, state }: SessionRecord,
  end: number,
): Promise<string | undefined> {
  const { entries } = await readTranscript(store, { id, state }, { limit: ENTRIES, before: end });
  const prompt = entries.findLastIndex(({ role }) => role === "user");
  const texts = entries
    .slice(prompt + 1)
    .flatMap((entry) => (entry.role === "assistant" && entry.text !== "" ? [entry.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n\n");
}
