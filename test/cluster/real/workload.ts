import { setTimeout as pause } from "node:timers/promises";
import type { Host } from "../../../src/core/index.ts";
import { RecordedClient } from "../history/recorded-client.ts";
import type { Recorder } from "../history/recorder.ts";
import type { HostTask, ReaderTask } from "./messages.ts";

/** A client that waits for the end of a prompt gives up after so long, and sends the next one. */
const PATIENCE_MS = 2_000;
const LONGEST_PAUSE_MS = 300;
/** Share of the prompts that begin a session. */
const BEGINS = 0.05;
const LOOK_EVERY_MS = 1_000;
const AGAIN_AFTER_MS = 50;

/** The parts of a workload. */
interface WorkloadPorts {
  readonly host: Host;
  readonly hostId: string;
  readonly recorder: Recorder;
  readonly random: () => number;
  readonly task: HostTask;
}

/** People at one host: they send prompts, read sessions, and answer what they are asked. */
export class Workload {
  readonly #ports: WorkloadPorts;
  readonly #client: RecordedClient;
  readonly #resting = new AbortController();
  readonly #life = new AbortController();
  readonly #outstanding = new Set<Promise<void>>();
  readonly #cursors = new Map<string, number>();
  readonly #work: Promise<unknown>;
  readonly #sessions: string[];
  #sent = 0;

  constructor(ports: WorkloadPorts) {
    const { task } = ports;
    this.#ports = ports;
    this.#client = new RecordedClient(ports.recorder, ports.hostId);
    this.#sessions = [...task.sessions];
    const clients = Array.from({ length: task.clients }, () => this.#sendPrompts());
    this.#work = Promise.all([
      ...clients,
      this.#answerAll(),
      ...task.readers.map((reader) => this.#read(reader)),
    ]);
  }

  /** Sends nothing more; resolves when nobody waits for a prompt. */
  async rest(): Promise<void> {
    this.#resting.abort();
    while (this.#outstanding.size > 0) await Promise.all(this.#outstanding);
  }

  /** Lets readers read up to the heads; gives those that do not get there. */
  async finish(heads: Readonly<Record<string, number>>, withinMs: number): Promise<readonly string[]> {
    const until = performance.now() + withinMs;
    const behind = (): readonly string[] =>
      this.#ports.task.readers.flatMap(({ name, session }) => {
        const at = this.#cursors.get(name) ?? 0;
        const head = heads[session] ?? 0;
        return at < head ? [`${name} reads ${session} up to ${at} of ${head}`] : [];
      });
    while (behind().length > 0 && performance.now() < until) await pause(AGAIN_AFTER_MS);
    this.#life.abort();
    await this.#work;
    return behind();
  }

  async #sendPrompts(): Promise<void> {
    const { random } = this.#ports;
    while (!this.#resting.signal.aborted) {
      try {
        const sending = this.#send();
        this.#outstanding.add(sending);
        void sending.finally(() => this.#outstanding.delete(sending));
        await Promise.race([sending, pause(PATIENCE_MS)]);
      } catch {
        // The session cannot be read now.
      }
      await pause(random() * LONGEST_PAUSE_MS);
    }
  }

  async #send(): Promise<void> {
    const { host, hostId, recorder, random, task } = this.#ports;
    const isNew = random() < BEGINS;
    const known = this.#sessions[Math.floor(random() * this.#sessions.length)] ?? "";
    this.#sent += 1;
    const id = `prompt-${task.name}-${this.#sent}`;
    try {
      const session = await (isNew ? host.open() : host.session(known));
      if (isNew) this.#sessions.push(session.id);
      // Who is killed while it waits for the answer has sent it all the same.
      recorder.add({ type: "prompt", host: hostId, session: session.id, promptId: id, answered: "unknown" });
      await this.#client.submit(session, { id, text: id });
    } catch {
      // The database is away: nothing was sent.
    }
  }

  async #read({ name, session: id, after }: ReaderTask): Promise<void> {
    const { signal } = this.#life;
    this.#cursors.set(name, after);
    while (!signal.aborted) {
      try {
        const session = await this.#ports.host.session(id);
        await this.#client.read(session, {
          reader: name,
          after: this.#cursors.get(name) ?? after,
          signal,
          shown: ({ seq, type }) => {
            this.#cursors.set(name, seq);
            if (type === "clarify.request") void this.#answer(id);
          },
        });
      } catch {
        // As a client does that lost its connection: it comes again with its cursor.
      }
      await pause(AGAIN_AFTER_MS);
    }
  }

  /** Somebody looks now and then for what nobody answered. */
  async #answerAll(): Promise<void> {
    while (!this.#life.signal.aborted) {
      for (const id of await this.#asked()) await this.#answer(id);
      await pause(LOOK_EVERY_MS);
    }
  }

  /** In the end also those whose people are gone with their host. */
  async #asked(): Promise<readonly string[]> {
    if (!this.#resting.signal.aborted) return this.#sessions;
    try {
      const all = await this.#ports.host.list({ offset: 0, limit: 10_000, includeHidden: true });
      return all.filter(({ state }) => state.questions.length > 0).map(({ id }) => id);
    } catch {
      return [];
    }
  }

  async #answer(id: string): Promise<void> {
    try {
      const session = await this.#ports.host.session(id);
      const { questions } = await session.refresh();
      for (const { request } of questions)
        await this.#client.answer(session, request.requestId, { text: "this one" });
    } catch {
      // Later.
    }
  }
}
