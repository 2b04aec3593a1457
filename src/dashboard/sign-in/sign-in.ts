import type { Clock } from "../../core/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { mobileNumber } from "../../people/roster/index.ts";
import { HttpError } from "../../http/server/http-error.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { AccountConfirmation, AccountDrafts, BegunAccount } from "./account-drafts.ts";
import type { Activation } from "./activation.ts";
import type { SignInAttempts } from "./attempts.ts";
import type { CookieSession, CookieSessions, SignInWay, Visitor } from "./cookie-sessions.ts";
import type { EntryCodes } from "./entry-codes.ts";
import type { OpenId } from "./openid.ts";
import type { OperatorAccounts } from "./operator-account.ts";

/** The parts of signing in. */
export interface SignInParts {
  readonly accounts: OperatorAccounts;
  readonly drafts: AccountDrafts;
  readonly attempts: SignInAttempts;
  readonly sessions: CookieSessions;
  readonly entryCodes: EntryCodes;
  /** Only a Box is activated. */
  readonly activation?: Activation;
  /** The team's own identity provider. */
  readonly openId?: OpenId;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** The answers to what a Box asks at its first sign-in. */
export interface ActivationRequest {
  readonly activationCode: string;
  readonly licence: string;
  readonly password: string;
  /** With its country code. */
  readonly mobile: string;
}

/** The operator of this home, as who signs in with its own password is called. */
export const OPERATOR = "operator";

/** Signing in at the dashboard: what is asked for, what is kept of it, and what is noted. */
export class SignIn {
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /**
   * The state that the sign-in page begins in: an account asks for password and code, a Box without one to be activated,
   * another home without one for the address that `agent dashboard` prints.
   */
  async state(): Promise<"sign-in" | "activate" | "address"> {
    if ((await this.#parts.accounts.get()) !== undefined) return "sign-in";
    return this.#parts.activation === undefined ? "address" : "activate";
  }

  /** Finds who a cookie belongs to. */
  find(token: string): Promise<CookieSession | undefined> {
    return this.#parts.sessions.find(token);
  }

  /**
   * Signs in with password and code.
   *
   * @returns the cookie's value
   * @throws HostError `unauthorized`, the same whatever was wrong; 429 while locked
   */
  async withPassword(password: string, code: string, visitor: Visitor): Promise<string> {
    const { accounts, attempts, clock } = this.#parts;
    const subjects = [OPERATOR, `address ${visitor.address}`];
    await this.#begin(subjects, visitor);
    const factor = await accounts.check(password, code, clock.now());
    if (factor === undefined) return this.#refuse(visitor, "Password or code is wrong.");
    await attempts.succeeded(subjects);
    return this.#enter(factor === "authenticator" ? "password" : "recovery code", visitor);
  }

  /** Signs in with the code of an address that `agent dashboard` printed. @throws HostError `unauthorized`, 429 */
  async withAddress(code: string, visitor: Visitor): Promise<string> {
    if ((await this.state()) === "activate") throw notActivated();
    const subjects = [`address ${visitor.address}`];
    await this.#begin(subjects, visitor);
    if (!(await this.#parts.entryCodes.take(code)))
      return this.#refuse(
        visitor,
        "This address was used, or is older than ten minutes. Get another one: agent dashboard",
      );
    await this.#parts.attempts.succeeded(subjects);
    return this.#enter("address", visitor);
  }

  /** The host of the identity provider at which operators sign in, too. */
  get provider(): string | undefined {
    return this.#parts.openId?.name;
  }

  /** Begins a sign-in at the identity provider. @throws HostError `not_found`, `conflict`, `fetch_failed` */
  async beginAtProvider(callback: string): Promise<{ readonly address: string; readonly state: string }> {
    if ((await this.state()) === "activate") throw notActivated();
    return await this.#provider.begin(callback);
  }

  /**
   * Ends a sign-in at the identity provider.
   *
   * @returns the cookie's value
   * @throws HostError `unauthorized`, `fetch_failed`; 429 while locked
   */
  async withProvider(answer: URL, state: string | undefined, visitor: Visitor): Promise<string> {
    const subjects = [`address ${visitor.address}`];
    await this.#begin(subjects, visitor);
    let who;
    try {
      who = await this.#provider.finish(answer, state);
    } catch (thrown) {
      // People are told no more than that; why is for who can read the audit log.
      const { message: why } = toHostError(thrown);
      const after = { way: "openid", why };
      await this.#parts.audit.note({
        who: "somebody",
        from: visitor.address,
        action: "sign-in.refused",
        after,
      });
      throw thrown;
    }
    await this.#parts.attempts.succeeded(subjects);
    return this.#enter("openid", visitor, who);
  }

  get #provider(): OpenId {
    const { openId } = this.#parts;
    if (openId === undefined)
      throw new HostError("not_found", "No identity provider is set: platforms.dashboard.extra.openid.");
    return openId;
  }

  /** The first step of an activation. @throws HostError `conflict`, `unauthorized`, `invalid_params`, 429 */
  async beginActivation(request: ActivationRequest, visitor: Visitor): Promise<BegunAccount> {
    const { activation, drafts } = this.#parts;
    if (activation === undefined || (await this.state()) !== "activate") throw alreadyActivated();
    await activation.check(request.activationCode, request.licence).catch(async (thrown: unknown) => {
      await this.#note(visitor, "activation.refused");
      throw thrown;
    });
    const { password, licence, mobile } = request;
    return drafts.begin(password, { licence: licence.trim(), mobile: await mobileNumber(mobile) });
  }

  /**
   * The first step of giving the operator a password.
   *
   * @param session - the sign-in that asks: with it ends what it began
   * @throws HostError `invalid_params`
   */
  beginAccount(password: string, session: string): Promise<BegunAccount> {
    return this.#parts.drafts.begin(password, { beganBy: session });
  }

  /**
   * The second step of both.
   *
   * @returns the cookie's value of a new session
   * @throws HostError `conflict` when there is an account, `not_found`, `invalid_params`
   */
  async finish(confirmation: AccountConfirmation, visitor: Visitor): Promise<string> {
    const { accounts, activation, drafts } = this.#parts;
    const account = await drafts.finish(confirmation);
    if (!(await accounts.add(account))) throw alreadyActivated();
    await activation?.done();
    await this.#note(visitor, "account.made");
    return this.#enter("activation", visitor);
  }

  /** Signs somebody out. */
  async end(session: CookieSession, visitor: Visitor): Promise<void> {
    await this.#parts.sessions.end(session.id);
    await this.#note(visitor, "sign-out", session.who);
  }

  async #begin(subjects: readonly string[], visitor: Visitor): Promise<void> {
    const { waitMs, isFirst } = await this.#parts.attempts.begin(subjects);
    if (waitMs === 0) return;
    // Whoever goes on trying fills no log.
    if (isFirst) await this.#note(visitor, "sign-in.locked");
    const minutes = Math.ceil(waitMs / 60_000);
    throw new HttpError(
      429,
      `Too many wrong tries: try again in ${minutes} min. On the machine itself, agent dashboard lets you in.`,
      { code: "too_many_tries", headers: { "retry-after": String(Math.ceil(waitMs / 1000)) } },
    );
  }

  async #refuse(visitor: Visitor, words: string): Promise<never> {
    await this.#note(visitor, "sign-in.refused");
    throw new HostError("unauthorized", words);
  }

  async #enter(way: SignInWay, visitor: Visitor, who = OPERATOR): Promise<string> {
    const token = await this.#parts.sessions.create(who, way, visitor);
    await this.#parts.audit.note({ who, from: visitor.address, action: "sign-in", after: { way } });
    return token;
  }

  async #note({ address, browser }: Visitor, action: string, who = "somebody"): Promise<void> {
    await this.#parts.audit.note({ who, from: address, action, after: { browser } });
  }
}

const notActivated = (): HostError =>
  new HostError("conflict", "This Box is not activated yet; its first page asks for what that takes.");

const alreadyActivated = (): HostError =>
  new HostError(
    "conflict",
    "There is an operator already: sign in. If the phone is lost: agent dashboard reset",
  );
