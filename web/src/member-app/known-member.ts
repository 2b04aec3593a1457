import type { MemberWire } from "./ask.ts";

/** The member of whom this device keeps something. */
interface KnownMember extends MemberWire {
  /** Their sign-in ended: what is kept waits for them, and nothing of it is shown. */
  readonly isAway?: true;
}

const KEY = "app:member";

/** Reads of whom this device keeps something. */
export function knownMember(): KnownMember | undefined {
  try {
    const kept = localStorage.getItem(KEY);
    // Only this file writes it.
    return kept === null ? undefined : (JSON.parse(kept) as KnownMember);
  } catch {
    return undefined;
  }
}

/** Notes of whom this device keeps something. */
export function keepMember({ id, name, isAway }: KnownMember): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ id, name, isAway }));
  } catch {
    // The browser has no room left: without a connection nobody is known then.
  }
}
