import { HostError } from "../../shared/errors/host-error.ts";

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

export const hostDraining = (): HostError =>
  new HostError("draining", "The host is shutting down and takes no new work.");
