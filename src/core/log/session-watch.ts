import type { Services } from "../ports/services.ts";
import type { SessionLog } from "./session-log.ts";

/** Milliseconds that the watch stays after the last follower: the next one usually comes soon, and telling the store each time would cost each turn two messages. */
const UNWATCH_MS = 5000;
/** While a session comes from the host that drives it, the store is asked no more often than this. */
const CHECK_MS = 1000;

type WatchServices = Pick<Services, "store" | "clock" | "peers">;

/** The session that is watched, and who is told of it. */
export interface WatchParts {
  readonly log: SessionLog;
  readonly services: WatchServices;
  /** Somebody waits for the end of a turn. */
  readonly waits: () => boolean;
  /** Something may have changed in the store. */
  readonly changed: () => void;
}

/** A session's watch in the store: it tells of changes for as long as somebody in this process follows the session. */
export class SessionWatch {
  readonly #parts: WatchParts;
  #followers = 0;
  #watch: AbortController | undefined;
  #cancelUnwatch: () => void = () => undefined;
  #comesNear: () => boolean = () => false;
  #cancelCheck: (() => void) | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  get followed(): boolean {
    return this.#followers > 0;
  }

  /** Watches until the returned function is called. */
  follow(): () => void {
    const { clock } = this.#parts.services;
    this.#followers += 1;
    this.#cancelUnwatch();
    if (this.#watch === undefined) this.#begin();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#followers -= 1;
      if (this.#followers === 0) this.#cancelUnwatch = clock.after(UNWATCH_MS, () => this.#unwatch());
    };
  }

  close(): void {
    this.#cancelUnwatch();
    this.#unwatch();
  }

  #begin(): void {
    const { log, services, changed } = this.#parts;
    const { store, peers } = services;
    const { signal } = (this.#watch = new AbortController());
    store.watch(log.id, () => this.#onMoved(), signal);
    if (peers === undefined) return;
    const { id } = log;
    const came = (): void => this.#onNear();
    this.#comesNear = peers.follow({ id, cursor: () => log.cursor, came, lost: changed }, signal);
  }

  /** What comes from the driver comes to the store, too: that is asked now and then, in case somebody else drives it by now. */
  #onMoved(): void {
    const { services, changed } = this.#parts;
    if (!this.#comesNear()) return changed();
    this.#cancelCheck ??= services.clock.after(CHECK_MS, () => {
      this.#cancelCheck = undefined;
      changed();
    });
  }

  #onNear(): void {
    const { log, waits } = this.#parts;
    log.noteForeignAppend();
    if (!waits()) return;
    Promise.try(() => log.read({ after: log.state.seq, foreignAppends: -1 })).catch(() => undefined);
  }

  #unwatch(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
    this.#watch?.abort();
    this.#watch = undefined;
    this.#comesNear = () => false;
  }
}
