import { type Host, type HostError, type Session, toHostError } from "../core/index.ts";
import type { BackgroundProcess, ProcessListener } from "../providers/tools/index.ts";

/** Notes in a session's log which commands begin and end in its background. */
export class ProcessNotes implements ProcessListener {
  readonly #host: () => Host;
  /** The notes of a session are written one after the other: none ends before it began. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(host: () => Host) {
    this.#host = host;
  }

  began(id: string, { id: processId, command }: BackgroundProcess): void {
    const { hostId } = this.#host().services.store;
    this.#write(id, (session) => session.note("processBegan", { processId, command, hostId }));
  }

  ended(
    id: string,
    { id: processId, command, exit }: BackgroundProcess,
    { heard, withHost }: Parameters<ProcessListener["ended"]>[2],
  ): void {
    const end = {
      processId,
      command,
      exitCode: exit?.code ?? null,
      signal: exit?.signal ?? null,
      ...(heard ? { heard } : {}),
      ...(withHost ? { withHost } : {}),
    };
    this.#write(id, (session) => session.note("processOver", end));
  }

  /** Resolves when all is written. */
  async written(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  #write(id: string, note: (session: Session) => Promise<unknown>): void {
    const last = this.#writing.get(id) ?? Promise.resolve();
    const written = last
      .then(async () => void (await note(await this.#host().session(id))))
      .catch((thrown: unknown) => this.#report(toHostError(thrown)))
      .finally(() => {
        if (this.#writing.get(id) === written) this.#writing.delete(id);
      });
    this.#writing.set(id, written);
  }

  /** A session that was deleted took what ran for it along. */
  #report(error: HostError): void {
    if (error.code !== "session_not_found") this.#host().services.report(error);
  }
}
