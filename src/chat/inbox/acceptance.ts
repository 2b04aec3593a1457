import type { Access } from "../access/allow-list.ts";
import type { Pairing, PairingCode } from "../access/pairing.ts";
import type { Places } from "../places/places.ts";
import type { Incoming, IncomingMessage } from "../port/incoming.ts";
import type { AcceptedEvent, InboxEntry } from "./entry.ts";
import type { Inbox } from "./inbox.ts";
import { keptMessage } from "./kept-message.ts";

/** The parts with which events are accepted. */
export interface AcceptanceParts {
  readonly platform: string;
  readonly inbox: Inbox;
  readonly places: Places;
  readonly access: Access;
  /** Stable ids of those who may approve: whoever may, may press a button, too. */
  readonly approvers: readonly string[];
  readonly pairing: Pairing;
  /** Tells a stranger a pairing code. Returns at once; what cannot be told is told when they write again. */
  readonly tellStranger: (message: Pick<IncomingMessage, "place">, offered: PairingCode) => void;
  /** Whether this host acts upon an event; the others are left to the host that is connected. */
  readonly isOurs: (event: AcceptedEvent) => boolean;
}

/**
 * Accepts what is meant for the agent and comes from people who may talk to it. What resolves survives a crash.
 *
 * @returns the entries that are new and this host's to act upon, in the order of their events
 */
export async function acceptEvents(
  parts: AcceptanceParts,
  events: readonly Incoming[],
): Promise<readonly InboxEntry[]> {
  const { inbox, isOurs } = parts;
  const wanted: AcceptedEvent[] = [];
  for (const event of events) if (await isWanted(parts, event)) wanted.push(event);
  // Given to the store one after the other, and synced together.
  const entries = await Promise.all(
    wanted.map(async (event) => {
      const claim = isOurs(event);
      const entry = await inbox.accept(event.type === "message" ? keptMessage(event) : event, { claim });
      return claim ? entry : undefined;
    }),
  );
  return entries.filter((entry) => entry !== undefined);
}

async function isWanted(parts: AcceptanceParts, event: Incoming): Promise<boolean> {
  const { access, approvers, places } = parts;
  const { from, place } = event;
  if (event.type === "message" && !event.addressed) {
    // In a thread that it takes part in, all that is said is meant for it too.
    const takesPart = place.threadId !== undefined && (await places.find(place)) !== undefined;
    if (!takesPart) return false;
  }
  if (event.type === "click" && approvers.includes(from.id)) return true;
  if (await access.admits(from, place)) return true;
  if (event.type === "message" && place.kind === "direct") await offerPairing(parts, event);
  return false;
}

async function offerPairing(
  { pairing, platform, tellStranger }: AcceptanceParts,
  message: IncomingMessage,
): Promise<void> {
  const offered = await pairing.offer(platform, message.from);
  if (offered !== undefined) tellStranger(message, offered);
}
