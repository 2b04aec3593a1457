import type { QuestionAnswer } from "../../../src/core/session.ts";
import type { SessionEvent } from "../../../src/core/index.ts";
import { isQuestion, type QuestionRequest } from "../../../src/core/events/question-events.ts";
import { type Chance, chance } from "./chance.ts";
import { choose, promptWords } from "./script.ts";
import type { SimulatedProcess } from "./simulated-host.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** Turns after which nobody sends anything to a session any more. */
const TURNS = 10;
/** Milliseconds that followers stay with a session of which nobody wants anything any more. */
const STAY_MS = 60_000;

/** What people are given. */
export interface PeoplePorts {
  readonly seed: number;
  readonly time: SimulatedTime;
  /** The processes that can be talked to. */
  readonly processes: () => readonly SimulatedProcess[];
  /** Sessions that are worked in at a time. */
  readonly sessions: number;
}

/** A session that people work in. */
interface OpenSession {
  readonly id: string;
  turns: number;
  leaving: boolean;
}

/** A follower of a session, who reads at one host after the other. */
export interface Follower {
  readonly name: string;
  readonly session: string;
  cursor: number;
  life: AbortController;
}

/** People who send prompts, follow sessions and answer questions, each at whichever host there is. */
export class People {
  readonly #ports: PeoplePorts;
  readonly #random: Chance;
  readonly #open: OpenSession[] = [];
  /** All sessions that there may be. */
  readonly sessions: string[] = [];
  readonly followers: Follower[] = [];
  readonly #waiting = new Set<string>();
  /** What went wrong although nothing was in the way. */
  readonly failures: string[] = [];
  #count = 0;
  #closing = false;

  constructor(ports: PeoplePorts) {
    this.#ports = ports;
    this.#random = chance(ports.seed, "people");
  }

  /** What somebody waits for, in words. */
  get waiting(): readonly string[] {
    return [...this.#waiting];
  }

  get active(): readonly string[] {
    return this.#open.map(({ id }) => id);
  }

  start(people: number): void {
    for (let index = 0; index < people; index += 1) void this.#live();
  }

  /** Nobody begins anything more. */
  stop(): void {
    this.#closing = true;
  }

  /** Sends one prompt more to a session, which nothing is in the way of. */
  async goOn(session: string): Promise<void> {
    const process = choose(this.#ports.processes(), this.#random);
    const id = this.#promptId();
    await this.#wait(`prompt ${id} to ${session}, sent in the end`, process, async () => {
      try {
        const opened = await process.host.session(session);
        const turn = opened.submit({ id, text: `${id} [[2,"act"],[1]]` });
        const told = process.client.follow(session, turn);
        await turn.accepted;
        const { outcome, error } = await turn.result;
        await told;
        if (outcome !== "completed")
          this.failures.push(
            `prompt ${id} to ${session}, sent in the end, ended as ${outcome}: ${error?.message}`,
          );
      } catch (thrown) {
        this.failures.push(
          `prompt ${id} to ${session}, sent in the end, was not answered: ${String(thrown)}`,
        );
      }
    });
  }

  /** Looks at a session in which something waits for a person: answers its questions, and lets run what is held. */
  async lookAfter(session: string): Promise<void> {
    const process = this.#someProcess();
    if (process === undefined) return;
    await this.#wait(`a look at ${session}`, process, async () => {
      const opened = await process.host.session(session);
      const held = (await opened.refresh()).queue.filter((queued) => queued.held);
      for (const { request } of opened.questions())
        await process.client.answer(opened, request.requestId, this.#answerTo(request));
      if (held.length > 0) await opened.confirm(held.map(({ prompt }) => prompt.id));
    });
  }

  async #live(): Promise<void> {
    await this.#sleep(this.#random() * 2000);
    while (!this.#closing) {
      const process = this.#someProcess();
      if (process !== undefined) await this.#work(process).catch(() => undefined);
      await this.#sleep(100 + this.#random() * 1500);
    }
  }

  async #work(process: SimulatedProcess): Promise<void> {
    const id = this.#promptId();
    const submission = { id, text: promptWords(id, this.#random) };
    if (this.#open.length < this.#ports.sessions) return await this.#begin(process, submission);
    const session = choose(this.#open, this.#random);
    session.turns += 1;
    if (session.turns >= TURNS) this.#retire(session);
    await this.#wait(`prompt ${id} to ${session.id}`, process, async () => {
      const opened = await process.host.session(session.id);
      const mode = this.#random() < 0.1 ? "interrupt" : "queue";
      const turn = process.client.submit(opened, { ...submission, mode });
      // Most wait for the answer, as people do; some send the next one meanwhile.
      if (this.#random() < 0.7) await turn;
      else void this.#wait(`the end of prompt ${id} in ${session.id}`, process, () => turn);
    });
  }

  async #begin(
    process: SimulatedProcess,
    submission: { readonly id: string; readonly text: string },
  ): Promise<void> {
    const id = `s${this.sessions.length + 1}`;
    this.sessions.push(id);
    const session = { id, turns: 1, leaving: false };
    this.#open.push(session);
    await this.#wait(`session ${id} and its first prompt`, process, async () => {
      try {
        const opened = await process.host.open({ id });
        for (const name of ["a", "b"]) void this.#follow(session, `reader ${name} of ${id}`);
        await process.client.submit(opened, submission);
      } catch (thrown) {
        // Whether it is there or not, nobody works in it.
        this.#retire(session);
        throw thrown;
      }
    });
  }

  #retire(session: OpenSession): void {
    const index = this.#open.indexOf(session);
    if (index !== -1) this.#open.splice(index, 1);
    this.#ports.time.after(STAY_MS, () => {
      session.leaving = true;
      for (const follower of this.followers) if (follower.session === session.id) follower.life.abort();
    });
  }

  async #follow(session: OpenSession, name: string): Promise<void> {
    const follower: Follower = { name, session: session.id, cursor: 0, life: new AbortController() };
    this.followers.push(follower);
    while (!session.leaving) {
      const process = this.#someProcess();
      if (process !== undefined) await this.#readAt(process, follower);
      await this.#sleep(200);
    }
  }

  /** Reads at a host until that fails, it is gone, or the reader has enough of it. */
  async #readAt(process: SimulatedProcess, follower: Follower): Promise<void> {
    const life = new AbortController();
    follower.life = life;
    const enough = this.#ports.time.after(20_000 + this.#random() * 60_000, () => {
      if (!this.#closing) life.abort();
    });
    const reading = async (): Promise<void> => {
      const session = await process.host.session(follower.session);
      await process.client.read(session, {
        reader: follower.name,
        after: follower.cursor,
        signal: life.signal,
        shown: (event) => {
          follower.cursor = event.seq;
          this.#see(event, follower.session);
        },
      });
    };
    const left = Promise.withResolvers<void>();
    life.signal.addEventListener("abort", () => left.resolve(), { once: true });
    await Promise.race([reading().catch(() => undefined), process.gone, left.promise]);
    enough();
    life.abort();
  }

  /** A question comes into sight: some answer it, at whichever host there is. */
  #see(event: SessionEvent, session: string): void {
    if (!isQuestion(event) || this.#random() > 0.7) return;
    const { requestId } = event;
    const answer = this.#answerTo(event);
    void this.#sleep(this.#random() * 3000).then(async () => {
      const process = this.#someProcess();
      if (process === undefined) return;
      await this.#wait(`the answer to question ${requestId} in ${session}`, process, async () => {
        await process.client.answer(await process.host.session(session), requestId, answer);
      });
    });
  }

  #answerTo({ type }: Pick<QuestionRequest, "type">): QuestionAnswer {
    return type === "approval.request"
      ? { choice: choose(["once", "once", "deny"] as const, this.#random) }
      : { text: `answer ${(this.#count += 1)}` };
  }

  /** Does something at a host, and remembers that somebody waits for it until it is over or the host is gone. Never rejects. */
  async #wait(what: string, process: SimulatedProcess, work: () => Promise<void>): Promise<void> {
    this.#waiting.add(what);
    await Promise.race([work().catch(() => undefined), process.gone]);
    this.#waiting.delete(what);
  }

  #someProcess(): SimulatedProcess | undefined {
    const processes = this.#ports.processes();
    return processes.length === 0 ? undefined : choose(processes, this.#random);
  }

  #promptId(): string {
    return `p${(this.#count += 1)}`;
  }

  #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ports.time.after(ms, resolve);
    return promise;
  }
}
