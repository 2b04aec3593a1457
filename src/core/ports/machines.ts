import type { HomeMachine } from "../events/home-machine.ts";

/** The machines whose hosts share a store, as far as sessions are concerned whose files are on the disk of one. */
export interface Machines {
  readonly here: HomeMachine;
  /** Whether the files of a workspace are on this machine's own disk; not those on storage that machines share. */
  keepsFiles(cwd: string): boolean;
  /** The folder in which sessions begin here whose client names none. */
  readonly folder: string;
  /** Somebody chose a folder; not the one in which a server happened to be started. */
  isChosen(cwd: string): boolean;
  /** Whether a host of a machine lives, by the machine's id. */
  isThere(machine: string): Promise<boolean>;
  /** Sessions of a machine that is gone go on without their files. */
  adopts(): boolean;
}
