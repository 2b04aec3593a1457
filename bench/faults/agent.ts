import type { LineState } from "../../test/kit/tcp-proxy.ts";
import type { Talk } from "./talk.ts";

/** Faults that befall agents, their lines and their model. */
export const FAULTS = {
  none: "nothing goes wrong",
  kill: "the agent is killed with -9 in the middle of replies and started again",
  "kill in tool": "the agent is killed with -9 while its command runs, and started again",
  cut: "the client's line is dead in both directions for 1.5 s in the middle of replies, then breaks; the client comes back",
  "one way": "the same, but only the direction to the client is dead",
  duplicate: "the client hears no answer to its prompt for 1.5 s, and sends it again with the same id",
  "slow reader": "the client reads nothing for 3 s while a reply of 1 MB comes",
  "rate limit": "the model answers 429 with Retry-After three times",
  "broken stream": "the model's stream breaks in the middle of a reply",
  stall:
    "the model's stream stops in the middle of a reply and stays open; after 4 s the client stops the turn",
  "database cut": "the host that drives the turns is cut from the database for 18 s",
  "database restart": "the database is stopped in the middle of replies and started again",
} as const;

/** The kind of a fault. */
export type FaultName = keyof typeof FAULTS;

/** An agent that runs, as its clients can reach it; faults happen to it. */
export interface Agent extends AsyncDisposable {
  /** Begins a conversation. */
  talk(): Promise<Talk>;
  /** Ends it at once; of a cluster, the host that drives the turns. */
  kill(): Promise<void>;
  /** Has it, or another one in its place, take its clients again. */
  recover(): Promise<void>;
  /** What happens between runs, so that the next one finds all as the first did. */
  restore(): Promise<void>;
  /** Changes the line between clients and the agent. */
  line(state: LineState | "break"): Promise<void>;
  /** Changes the line between the driving host and its database. */
  databaseLine?(state: LineState): Promise<void>;
  restartDatabase?(): Promise<void>;
}

/** An agent that can be put under faults. */
export interface Subject {
  /** As the command line names it. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** How clients speak with it. */
  readonly protocol: string;
  /** What has to be known of that protocol to read the counts. */
  readonly notes: string;
  /** Faults that it is not put under, and why. */
  readonly without: Readonly<Partial<Record<FaultName, string>>>;
  /** @param modelUrl - the model's address, without a path */
  start(modelUrl: string): Promise<Agent>;
}
