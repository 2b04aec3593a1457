import { messageOf } from "../../../shared/errors/host-error.ts";
import { type AvailabilityOptions, sandboxAvailability } from "./availability.ts";
import type { SandboxAbsence, SandboxAvailability, SandboxEngine, SandboxPolicy } from "./policy.ts";
import { type SandboxTest, startsInside, testSandbox } from "./self-test.ts";
import type { ProofMarks, StoredProofs } from "./stored-proofs.ts";

/**
 * A sandbox that has proved itself, or why there is none; a sandbox that let something through counts as none. The test is
 * missing where an earlier process has tried the same walls.
 */
export type SandboxStatus =
  | { readonly available: true; readonly engine: SandboxEngine; readonly test?: SandboxTest }
  | (SandboxAbsence & { readonly test?: SandboxTest });

/** The parts of a probe that not every probe has. */
export interface ProbeParts {
  /** Finds the engine; that of this system by default. */
  readonly find?: () => Promise<SandboxAvailability>;
  /** Proofs of earlier processes; without them each process tries for itself. */
  readonly proofs?: StoredProofs;
}

/** The finder of this machine's sandbox, which proves it once for each policy. */
export class SandboxProbe implements AsyncDisposable {
  readonly #options: AvailabilityOptions;
  readonly #proofs: StoredProofs | undefined;
  readonly #look: () => Promise<SandboxAvailability>;
  readonly #known = new Map<string, Promise<SandboxStatus>>();
  #availability: Promise<SandboxAvailability> | undefined;
  /** Keeps what sandboxes share: the first is that of the test, and its end is not the end of those that wait for it. */
  #keeper: AsyncDisposable | undefined;
  #closed = false;

  constructor(options: AvailabilityOptions, { find, proofs }: ProbeParts = {}) {
    this.#options = options;
    this.#proofs = proofs;
    this.#look = find ?? (() => sandboxAvailability(options));
  }

  /** The status for a policy; its workspace plays no part. */
  status(policy: SandboxPolicy): Promise<SandboxStatus> {
    const key = keyOf(policy);
    const known = this.#known.get(key) ?? this.#find(policy);
    this.#known.set(key, known);
    return known;
  }

  /** Looks anew and tries the escapes, whatever was proved before. */
  prove(policy: SandboxPolicy): Promise<SandboxStatus> {
    this.#availability = undefined;
    const found = this.#find(policy, { anew: true });
    this.#known.set(keyOf(policy), found);
    return found;
  }

  /** Looks and proves again at the next question: somebody may have changed the machine. */
  forget(): void {
    this.#known.clear();
    this.#availability = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const keeper = this.#keeper;
    this.#keeper = undefined;
    await keeper?.[Symbol.asyncDispose]();
  }

  /** Whether an earlier process has tried these walls, and they can still be built. */
  async #isProved(
    marks: ProofMarks | undefined,
    engine: SandboxEngine,
    policy: SandboxPolicy,
  ): Promise<boolean> {
    if (marks === undefined || this.#proofs?.has(marks) !== true) return false;
    return await startsInside(engine, policy, this.#options);
  }

  async #keepShared(policy: SandboxPolicy): Promise<void> {
    const { keepEtc } = await import("./linux/shared-etc.ts");
    if (!this.#closed) this.#keeper ??= keepEtc(policy);
  }

  async #find(policy: SandboxPolicy, { anew = false } = {}): Promise<SandboxStatus> {
    this.#availability ??= this.#look();
    const found = await this.#availability;
    if (!found.available) return found;
    const { engine } = found;
    if (engine.kind === "bubblewrap") await this.#keepShared(policy);
    const marks = await this.#proofs?.marks(engine, policy);
    try {
      if (!anew && (await this.#isProved(marks, engine, policy))) return { available: true, engine };
      // What fails now must not count for the next process.
      if (marks !== undefined) this.#proofs?.drop(marks);
      const test = await testSandbox(engine, policy, this.#options);
      if (test.holds) {
        // Something may have been exchanged meanwhile.
        if (marks !== undefined && (await this.#proofs?.marks(engine, policy)) === marks)
          this.#proofs?.keep(marks);
        return { available: true, engine, test };
      }
      const through = test.tries.filter(({ held }) => !held).map(({ told }) => told);
      return { ...absence(`The sandbox does not hold here: ${through.join(" ")}`), test };
    } catch (error) {
      return absence(`The sandbox could not be tried: ${messageOf(error)}`);
    }
  }
}

const keyOf = ({ home, apart, tempDir, readable, limits }: SandboxPolicy): string =>
  JSON.stringify([home, apart, tempDir, readable, limits]);

const absence = (reason: string): SandboxAbsence => ({
  available: false,
  reason,
  advice: "It is not used. Run agent doctor after a change, or use terminal.backend: container.",
});
