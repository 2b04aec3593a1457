import type { Records } from "../../core/index.ts";
import type { ServerLog } from "../../http/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { isNewer } from "./version-order.ts";

const SPACE = "updates";
const KEY = "newest";
const DAY_MS = 24 * 3_600_000;
/** A process that has just started has better things to do. */
const FIRST_MS = 5 * 60_000;
const ASK_MS = 60_000;

/** The newest version, as the registry was last asked. */
export interface KnownVersion {
  /** Unix milliseconds. */
  readonly askedAt: number;
  readonly newest?: string;
  /** Why it was not told. */
  readonly fault?: string;
}

/** The parts of the daily question for a newer version. */
export interface UpdateCheckParts {
  readonly records: Records;
  readonly clock: Clock;
  readonly log: ServerLog;
  readonly version: string;
  /** Told of a newer version, daily as long as it is not installed. */
  readonly available: (version: string) => Promise<void>;
  /** Asks the registry. @throws HostError `fetch_failed`, `not_found` */
  readonly newest: (signal: AbortSignal) => Promise<string>;
}

/** The question for a newer version, once a day however many processes of the home there are. */
export class UpdateCheck implements Disposable {
  readonly #parts: UpdateCheckParts;
  #cancel: () => void = () => undefined;
  #isOver = false;

  constructor(parts: UpdateCheckParts) {
    this.#parts = parts;
  }

  /** Asks once a day from now on, and says in the log when there is a newer version. */
  start(): void {
    this.#later(FIRST_MS);
  }

  /** The last answer; `undefined` when nobody has asked yet. */
  async known(): Promise<KnownVersion | undefined> {
    const { value } = (await this.#parts.records.get(SPACE, KEY)) ?? {};
    return value === undefined ? undefined : knownIn(value);
  }

  /** Asks now. */
  async ask(): Promise<KnownVersion> {
    const { records, clock, newest } = this.#parts;
    const answer = await newest(AbortSignal.timeout(ASK_MS)).then(
      (version) => ({ newest: version }),
      (thrown: unknown) => ({ fault: toHostError(thrown).message }),
    );
    const known = { askedAt: clock.now(), ...answer };
    await records.put({ space: SPACE, key: KEY, value: JSON.stringify(known) });
    return known;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#cancel();
  }

  #later(ms: number): void {
    if (this.#isOver) return;
    this.#cancel = this.#parts.clock.after(ms, () => void this.#askIfDue());
  }

  /** Notes that this process asks now; `false` when another one was faster. */
  async #takesTurn(): Promise<boolean> {
    const { records, clock } = this.#parts;
    const before = await records.get(SPACE, KEY);
    const known = before && knownIn(before.value);
    const now = clock.now();
    const draft = { space: SPACE, key: KEY, value: JSON.stringify({ ...known, askedAt: now }) };
    if (before === undefined) return (await records.add(draft)).added;
    if (known !== undefined && now < known.askedAt + DAY_MS) return false;
    return (await records.replace(draft, before.version)) !== undefined;
  }

  async #askIfDue(): Promise<void> {
    const { clock, log, version, available } = this.#parts;
    try {
      const due = ((await this.known())?.askedAt ?? 0) + DAY_MS;
      if (clock.now() < due) return this.#later(due - clock.now());
      if (!(await this.#takesTurn())) return this.#later(DAY_MS);
      const { newest, fault } = await this.ask();
      if (fault !== undefined) log({ event: "update.unknown", level: "warn", message: fault });
      if (newest !== undefined && isNewer(newest, version)) {
        log({ event: "update.available", level: "info", version: newest });
        await available(newest);
      }
    } catch (thrown) {
      log({ event: "update.unknown", level: "warn", message: toHostError(thrown).message });
    }
    this.#later(DAY_MS);
  }
}

function knownIn(value: string): KnownVersion {
  const known: unknown = JSON.parse(value);
  const { askedAt, newest, fault } = isJsonObject(known) ? known : {};
  return {
    askedAt: typeof askedAt === "number" ? askedAt : 0,
    ...(typeof newest === "string" ? { newest } : {}),
    ...(typeof fault === "string" ? { fault } : {}),
  };
}
