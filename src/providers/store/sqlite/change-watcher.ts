import type { StoreEvent } from "../operations.ts";
import { integer, text } from "./columns.ts";
import { hasCommands, isSettled, takeCommands } from "./commands.ts";
import type { Site } from "./operation-context.ts";

/** Milliseconds between two looks, while something happens and when nothing has for a while. */
const LOOK_EVERY = 25;
const LOOK_AT_LEAST_EVERY = 70;
/** Looks without news until it is quiet. */
const QUIET_AFTER = 100;

/** Notices what other processes did to the home: rows and text of watched sessions, commands and their answers. */
export class Follow {
  readonly #site: Site;
  readonly #tell: (event: StoreEvent) => void;
  /** Watched sessions, and where they ended when this host last knew. */
  readonly #watched = new Map<string, string>();
  /** Commands that this host sent and waits for. */
  readonly #sent = new Set<string>();
  #listening = false;
  /** SQLite's count of others' commits at the last look. */
  #version = -1;
  #timer: NodeJS.Timeout | undefined;
  #quiet = 0;

  constructor(site: Site, tell: (event: StoreEvent) => void) {
    this.#site = site;
    this.#tell = tell;
  }

  watch(session: string): void {
    this.#watched.set(session, this.#end(session));
    this.#quiet = 0;
  }

  unwatch(session: string): void {
    this.#watched.delete(session);
  }

  listen(): void {
    this.#listening = true;
    this.#site.commandsMoved = true;
  }

  expect(id: string): void {
    this.#sent.add(id);
    this.#quiet = 0;
  }

  forget(id: string): void {
    this.#sent.delete(id);
  }

  /** This host wrote to a session itself: that is no news. */
  wrote(session: string): void {
    if (!this.#watched.has(session)) return;
    try {
      this.#watched.set(session, this.#end(session));
    } catch {
      // Then it is taken for news, which is harmless.
    }
  }

  /** Looks at once when this host itself did something about commands, and regularly for what others do. */
  afterBatch(): void {
    if (this.#site.commandsMoved) {
      this.#site.commandsMoved = false;
      this.#safely(() => this.#lookAtCommands());
    }
    if (this.#timer === undefined && this.#hasReason()) this.#lookIn(LOOK_EVERY);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#watched.clear();
    this.#sent.clear();
    this.#listening = false;
  }

  #hasReason(): boolean {
    return this.#watched.size > 0 || this.#sent.size > 0 || (this.#listening && this.#site.held.size > 0);
  }

  #look(): void {
    this.#timer = undefined;
    if (!this.#hasReason()) return;
    const began = performance.now();
    this.#safely(() => this.#lookAtHome());
    // With very many watched sessions a look must not become all that the thread does.
    const pause = this.#quiet > QUIET_AFTER ? LOOK_AT_LEAST_EVERY : 4 * (performance.now() - began);
    this.#lookIn(Math.min(LOOK_AT_LEAST_EVERY, Math.max(LOOK_EVERY, pause)));
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #safely(look: () => void): void {
    try {
      look();
    } catch {
      // Another process may hold a lock just now, and worse trouble meets the next request too: look again later.
      this.#version = -1;
    }
  }

  #lookAtHome(): void {
    const version = this.#dataVersion();
    this.#quiet += 1;
    if (version === this.#version) return;
    this.#version = version;
    this.#quiet = 0;
    for (const [session, known] of this.#watched) {
      const end = this.#end(session);
      if (end === known) continue;
      this.#watched.set(session, end);
      this.#tell({ type: "moved", session });
    }
    this.#lookAtCommands();
  }

  #lookAtCommands(): void {
    const { database } = this.#site;
    for (const id of this.#sent) if (isSettled(database, id)) this.#tell({ type: "settled", id });
    if (!this.#listening || !hasCommands(this.#site)) return;
    // Handed out only once that is committed, so that no other host ever gets one of them too.
    for (const command of database.write(false, () => takeCommands(this.#site))) {
      this.#tell({ type: "command", command });
    }
  }

  /** SQLite's own count of commits by other connections. */
  #dataVersion(): number {
    return integer(this.#site.database.one("PRAGMA data_version") ?? {}, "data_version");
  }

  #end(session: string): string {
    const line = this.#site.database.one(
      `SELECT concat_ws(' ', key, n, seq, (SELECT max(cursor) FROM pieces WHERE session = key)) AS place
       FROM sessions WHERE id = ?`,
      session,
    );
    return line === undefined ? "" : text(line, "place");
  }
}
