import type { Records } from "../../core/index.ts";
import { RecordSpace } from "../../automation/work/record-space.ts";
import { acceptedStep, type Authenticator, codeHash } from "./authenticator.ts";
import { isPassword } from "./password.ts";

/** The operator's account: a password and an authenticator app. */
export interface OperatorAccount {
  /** Of `hashPassword`. */
  readonly password: string;
  readonly authenticator: Authenticator;
  /** Hashes of the recovery codes that are left. */
  readonly recovery: readonly string[];
  /** With its country code, as `+41791234567`. */
  readonly mobile?: string;
  readonly licence?: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The second thing that an operator signs in with; which one was right. */
export type SecondFactor = "authenticator" | "recovery code";

const SPACE = "dashboard.account";
const KEY = "operator";

/** The account of the operator of this home; there is one. */
export class OperatorAccounts {
  readonly #space: RecordSpace<OperatorAccount>;

  constructor(records: Records) {
    this.#space = new RecordSpace<OperatorAccount>(records, {
      space: SPACE,
      name: "Operator account",
      encode: (value) => ({ space: SPACE, key: KEY, value: JSON.stringify(value) }),
    });
  }

  get(): Promise<OperatorAccount | undefined> {
    return this.#space.get(KEY);
  }

  /** @returns whether there was none before */
  add(account: OperatorAccount): Promise<boolean> {
    return this.#space.add(account);
  }

  /** Takes the account away: the next sign-in makes a new one. @returns whether there was one */
  remove(): Promise<boolean> {
    return this.#space.remove(KEY);
  }

  /** Gives the account another password. */
  async setPassword(password: string): Promise<void> {
    await this.#space.change(KEY, (account) => ({ ...account, password }));
  }

  /**
   * Looks at a password and a code, both always and in the same time, and uses the code up.
   *
   * @returns which code it was; `undefined` when anything was wrong
   */
  async check(password: string, code: string, now: number): Promise<SecondFactor | undefined> {
    const account = await this.get();
    const right = await isPassword(password, account?.password);
    const step = await acceptedStep(account?.authenticator ?? NOBODYS, code, now);
    const hash = codeHash(code);
    const recovers = account?.recovery.includes(hash) === true;
    if (!right || account === undefined || (step === undefined && !recovers)) return undefined;
    return this.#use(step, hash);
  }

  /** Uses a code up, which another request may have done in between. */
  async #use(step: number | undefined, hash: string): Promise<SecondFactor | undefined> {
    let used: SecondFactor | undefined;
    await this.#space.change(KEY, (account) => {
      used = undefined;
      if (step !== undefined && step > account.authenticator.lastStep) {
        used = "authenticator";
        return { ...account, authenticator: { ...account.authenticator, lastStep: step } };
      }
      if (step !== undefined || !account.recovery.includes(hash)) return undefined;
      used = "recovery code";
      return { ...account, recovery: account.recovery.filter((each) => each !== hash) };
    });
    return used;
  }
}

/** Takes as long as a real one. */
const NOBODYS: Authenticator = { secret: "A".repeat(32), lastStep: Number.MAX_SAFE_INTEGER };
