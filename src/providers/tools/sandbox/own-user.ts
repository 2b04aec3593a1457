import { statSync } from "node:fs";
import { userInfo } from "node:os";

/** The user as whom this host runs. */
export interface OwnUser {
  readonly uid: number;
  readonly gid: number;
  /** Empty for a number that the system has no name for, as in a container. */
  readonly name: string;
}

export function ownUser(): OwnUser {
  try {
    const { uid, gid, username } = userInfo();
    return { uid, gid, name: username };
  } catch {
    const { uid, gid } = statSync("/proc/self");
    return { uid, gid, name: "" };
  }
}
