import { DEFAULT_POLICY, type Host, openHost, type Policy } from "../../../src/core/index.ts";
import type { HomeStore, MemoryHome } from "../../../src/providers/store/index.ts";
import type { HostError } from "../../../src/shared/errors/host-error.ts";
import type { EffectEntry } from "../history/history.ts";
import { RecordedClient } from "../history/recorded-client.ts";
import { type Recorder, recordingStore } from "../history/recorder.ts";
import { type Chance, chance, hexBy } from "./chance.ts";
import { HostClock, StoreClock } from "./host-clock.ts";
import { HostNetwork } from "./host-network.ts";
import { RemoteStore } from "./remote-store.ts";
import { simulatedModel, simulatedTools } from "./script.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** The world that simulated hosts share. */
export interface SimulatedWorld {
  readonly seed: number;
  readonly time: SimulatedTime;
  readonly home: MemoryHome;
  readonly recorder: Recorder;
  /** Hosts stop what they drive when they were cut off for too long. */
  readonly stops: boolean;
  /** Told of what a host reports that reached no caller. */
  readonly report: (error: HostError) => void;
}

/** A process of a simulated host. */
export interface SimulatedProcess {
  readonly clock: HostClock;
  readonly network: HostNetwork;
  readonly host: Host;
  readonly client: RecordedClient;
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
}

/** A process from its start, before it can be talked to. */
interface RunningProcess {
  readonly clock: HostClock;
  readonly network: HostNetwork;
  readonly hostId: string;
  end(): void;
}

const POLICY: Policy = {
  ...DEFAULT_POLICY,
  approvals: { ...DEFAULT_POLICY.approvals, mode: "manual", timeoutMs: 15_000 },
  questions: { ...DEFAULT_POLICY.questions, clarifyMs: 15_000, unseenMs: 20_000 },
};

/** Milliseconds after which a process that could not start is started again. */
const RESTART_MS = 1000;

/** A machine with one process of the real core, which may be cut off, stopped, and killed. */
export class SimulatedHost {
  readonly #world: SimulatedWorld;
  readonly #name: string;
  readonly #random: Chance;
  /** How fast its clock goes: quartz is wrong by some millionths. */
  readonly #rate: number;
  #life = 0;
  #ahead = 0;
  #running: RunningProcess | undefined;
  #process: SimulatedProcess | undefined;

  constructor(world: SimulatedWorld, index: number) {
    this.#world = world;
    this.#name = `host ${index}`;
    this.#random = chance(world.seed, this.#name);
    this.#rate = 1 + (this.#random() - 0.5) * 4e-4;
  }

  /** The process, once it has started. */
  get process(): SimulatedProcess | undefined {
    return this.#process;
  }

  /** The network of the process that runs, or is about to. */
  get network(): HostNetwork | undefined {
    return this.#running?.network;
  }

  /** Starts a process, and again until one has come up; resolves at once. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#life += 1;
    const { time, seed, stops } = this.#world;
    const random = chance(seed, `${this.#name}.${this.#life}`);
    const options = { rate: this.#rate, ahead: this.#ahead, uptime: random() * 1e6 };
    const clock = new HostClock(time, options);
    const network = new HostNetwork(time, clock, random);
    const gone = Promise.withResolvers<void>();
    const dying = new AbortController();
    const pid = 1000 * this.#life;
    const machine = `${this.#name} ${this.#life}`;
    const store = this.#world.home.open({
      identity: { pid, startedAt: "1", bootId: machine, pidNamespace: machine, machineId: this.#name },
      clock: new StoreClock(time, clock),
      random: () => 0,
      randomHex: hexBy(random),
      signal: dying.signal,
      between: (own, handle) => {
        const backend = new RemoteStore(own, handle, { clock, network, stops });
        return { backend, handle: backend.hear };
      },
    });
    const running = {
      clock,
      network,
      hostId: store.hostId,
      end: () => {
        clock.die();
        dying.abort();
        gone.resolve();
      },
    };
    this.#running = running;
    this.#open({ clock, random, store }).then(
      (opened) => {
        if (this.#running === running) this.#process = { clock, network, gone: gone.promise, ...opened };
      },
      () => {
        if (this.#running !== running) return;
        this.kill();
        time.after(RESTART_MS, () => this.start());
      },
    );
  }

  /** The process is gone, with all that it had not sent. */
  kill(): void {
    this.#running?.end();
    this.#running = undefined;
    this.#process = undefined;
  }

  /** The process stands still until a time. */
  pause(until: number): void {
    const running = this.#running;
    if (running === undefined || running.clock.paused) return;
    const { time, recorder } = this.#world;
    const from = recorder.now();
    running.clock.pause();
    time.at(until, () => {
      running.clock.resume(this.#random);
      recorder.add({ type: "pause", host: running.hostId, from, to: recorder.now() });
    });
  }

  /** Nothing is in the way any more; a process that is gone comes back. */
  heal(): void {
    this.#running?.network.heal();
    this.start();
  }

  /** Somebody turns the wall clock of the machine. */
  turn(ms: number): void {
    this.#ahead += ms;
    this.#running?.clock.turn(ms);
  }

  async #open({
    clock,
    random,
    store,
  }: {
    readonly clock: HostClock;
    readonly random: Chance;
    readonly store: HomeStore;
  }): Promise<Pick<SimulatedProcess, "host" | "client">> {
    const { recorder, report } = this.#world;
    const { hostId } = store;
    const ran = (act: Pick<EffectEntry, "session" | "callId" | "part">): void =>
      recorder.add({ type: "effect", host: hostId, ...act, at: recorder.now() });
    const host = await openHost({
      store: recordingStore(store, recorder),
      models: simulatedModel(clock, random),
      toolsets: simulatedTools(random, ran),
      policy: POLICY,
      systemPrompt: () => "You are simulated.",
      clock,
      random,
      hex: hexBy(random),
      report,
    });
    return { host, client: new RecordedClient(recorder, hostId) };
  }
}
