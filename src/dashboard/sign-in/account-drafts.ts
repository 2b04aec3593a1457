import { randomBytes } from "node:crypto";
import type { Clock, Records } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { RecordSpace } from "../../automation/work/record-space.ts";
import {
  acceptedStep,
  type Authenticator,
  codeHash,
  type Enrolment,
  enrolmentOf,
  newAuthenticator,
  newRecoveryCodes,
} from "./authenticator.ts";
import type { OperatorAccount } from "./operator-account.ts";
import { hashPassword, passwordFault } from "./password.ts";

/** An account that waits for the first code of its authenticator. */
interface AccountDraft {
  readonly key: string;
  readonly password: string;
  readonly authenticator: Authenticator;
  readonly recovery: readonly string[];
  readonly mobile?: string;
  readonly licence?: string;
  /** The sign-in that began it, which alone may end it; an activation is begun by nobody who is signed in. */
  readonly beganBy?: string;
  readonly createdAt: number;
}

/** What an account is made of beside its password. */
type DraftExtras = Pick<AccountDraft, "mobile" | "licence" | "beganBy">;

/** The second step of an account. */
export interface AccountConfirmation {
  readonly draft: string;
  /** The code that the authenticator shows. */
  readonly code: string;
  /** The sign-in that asks. */
  readonly session?: string;
}

/** The texts and the picture that an operator is shown once, before the account is there. */
export interface BegunAccount extends Enrolment {
  /** Names the draft in the second step. */
  readonly draft: string;
  /** The authenticator's key, for who cannot scan; base32. */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

const SPACE = "dashboard.account-drafts";
const LIFE = 30 * 60_000;
const TOKEN_BYTES = 24;
/** Milliseconds; the code is shown again in the next half minute. */
const WAIT_MS = 30_000;

/**
 * Makes accounts in two steps: what is wanted, then the authenticator's first code. Half an account leaves nothing: a draft
 * is gone after half an hour.
 */
export class AccountDrafts {
  readonly #records: Records;
  readonly #space: RecordSpace<AccountDraft>;
  readonly #clock: Clock;

  constructor(records: Records, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
    this.#space = new RecordSpace<AccountDraft>(records, {
      space: SPACE,
      name: "Account",
      encode: (value) => ({
        space: SPACE,
        key: value.key,
        value: JSON.stringify(value),
        expiresAt: value.createdAt + LIFE,
      }),
    });
  }

  /** @throws HostError `invalid_params` for a password that is not good enough */
  async begin(password: string, more: DraftExtras): Promise<BegunAccount> {
    const fault = passwordFault(password);
    if (fault !== undefined)
      throw new HostError("invalid_params", fault, { details: { subject: "password" } });
    const draft = randomBytes(TOKEN_BYTES).toString("base64url");
    const authenticator = await newAuthenticator();
    const codes = newRecoveryCodes();
    await this.#space.add({
      key: codeHash(draft),
      password: await hashPassword(password),
      authenticator,
      recovery: codes.map((code) => codeHash(code)),
      createdAt: this.#clock.now(),
      ...more,
    });
    const shown = await enrolmentOf(authenticator, "operator");
    return { draft, secret: authenticator.secret, recoveryCodes: codes, ...shown };
  }

  /**
   * Ends the second step.
   *
   * @returns the account, which is to be added
   * @throws HostError `not_found` for a draft that is over or another sign-in's, `invalid_params` for a wrong code
   */
  async finish({ draft, code, session }: AccountConfirmation): Promise<OperatorAccount> {
    const key = codeHash(draft);
    const found = await this.#space.get(key);
    if (found === undefined || (found.beganBy !== undefined && found.beganBy !== session)) throw draftOver();
    const { key: _key, beganBy: _beganBy, ...account } = found;
    const step = await acceptedStep(account.authenticator, code, this.#clock.now());
    if (step === undefined)
      throw new HostError(
        "invalid_params",
        "This is not the code that the authenticator shows now. Is the clock of the phone right?",
        { details: { subject: "code", retryAfterMs: WAIT_MS } },
      );
    // Another request may have ended it meanwhile, or whoever owns the home.
    if (!(await this.#space.remove(key))) throw draftOver();
    return { ...account, authenticator: { ...account.authenticator, lastStep: step } };
  }

  /** Ends all drafts. */
  async endAll(): Promise<void> {
    await this.#records.trim(SPACE, 0);
  }
}

const draftOver = (): HostError =>
  new HostError(
    "not_found",
    "This took longer than half an hour, or was begun in another sign-in: begin again.",
  );
