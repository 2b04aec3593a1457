import { messageOf } from "../../../shared/errors/host-error.ts";
import { type AvailabilityOptions, sandboxAvailability } from "./availability.ts";
import type { SandboxAbsence, SandboxAvailability, SandboxEngine, SandboxPolicy } from "./policy.ts";
import { type SandboxTest, testSandbox } from "./self-test.ts";

/** A sandbox that has proved itself, or why there is none; a sandbox that let something through counts as none. */
export type SandboxStatus =
  | { readonly available: true; readonly engine: SandboxEngine; readonly test: SandboxTest }
  | (SandboxAbsence & { readonly test?: SandboxTest });

/** The finder of this machine's sandbox, which proves it once for each policy. */
export class SandboxProbe {
  readonly #options: AvailabilityOptions;
  readonly #look: () => Promise<SandboxAvailability>;
  readonly #known = new Map<string, Promise<SandboxStatus>>();
  #availability: Promise<SandboxAvailability> | undefined;

  /** @param find - finds the engine; that of this system by default */
  constructor(options: AvailabilityOptions, find?: () => Promise<SandboxAvailability>) {
    this.#options = options;
    this.#look = find ?? (() => sandboxAvailability(options));
  }

  /** The status for a policy; its workspace plays no part. */
  status(policy: SandboxPolicy): Promise<SandboxStatus> {
    const { home, apart, tempDir, readable, limits } = policy;
    const key = JSON.stringify([home, apart, tempDir, readable, limits]);
    const known = this.#known.get(key) ?? this.#find(policy);
    this.#known.set(key, known);
    return known;
  }

  /** Looks and proves again at the next question: somebody may have changed the machine. */
  forget(): void {
    this.#known.clear();
    this.#availability = undefined;
  }

  async #find(policy: SandboxPolicy): Promise<SandboxStatus> {
    this.#availability ??= this.#look();
    const found = await this.#availability;
    if (!found.available) return found;
    const { engine } = found;
    try {
      const test = await testSandbox(engine, policy, this.#options);
      if (test.holds) return { available: true, engine, test };
      const through = test.tries.filter(({ held }) => !held).map(({ told }) => told);
      return { ...absence(`The sandbox does not hold here: ${through.join(" ")}`), test };
    } catch (error) {
      return absence(`The sandbox could not be tried: ${messageOf(error)}`);
    }
  }
}

const absence = (reason: string): SandboxAbsence => ({
  available: false,
  reason,
  advice: "It is not used. Run agent doctor after a change, or use terminal.backend: container.",
});
