import { HostError } from "../../shared/errors/host-error.ts";
import type { Owner } from "../state/status.ts";

export const sessionNotFound = (id: string): HostError =>
  new HostError("session_not_found", `Session not found: ${id}`, { details: { subject: id } });

export const sessionExists = (id: string): HostError =>
  new HostError("session_exists", `Session ${id} exists already.`);

/** @param n - the first row that cannot be read */
export const sessionDamaged = (id: string, n: number): HostError =>
  new HostError(
    "session_damaged",
    `Session ${id} is damaged at row ${n}. What stands before it can be read; branch the session to go on from there.`,
    { details: { subject: id } },
  );

/** Makes the error of a blob that is not there, or not for who asks; `hash` is as it was given. */
export const blobNotFound = (hash: string): HostError =>
  new HostError(
    "blob_not_found",
    `There is no blob ${hash.slice(0, 64)}. It may have been removed with its session.`,
    { details: { subject: hash.slice(0, 64) } },
  );

export const hostDraining = (): HostError =>
  new HostError("draining", "The host is shutting down and takes no new work.");

/** A `lease_lost` error that says who holds the lease: what was wanted must be asked of that process. */
export class LeaseHeldError extends HostError {
  readonly owner: Owner;

  constructor(owner: Owner) {
    super("lease_lost", `Process ${owner.pid} drives this session now.`);
    this.owner = owner;
  }
}
