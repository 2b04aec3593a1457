import { HostError, toHostError } from "../../core/index.ts";
import { HttpError } from "../../http/server/http-error.ts";
import { mobileNumber } from "../../people/roster/index.ts";
import type { Device, Devices } from "./devices.ts";
import type { Member, Members } from "./members.ts";
import { CODE_LIFE, type CodeWait, type OneTimeCodes } from "./one-time-codes.ts";

/** The way of a code to a phone. @throws HostError when the text was not taken */
export type SendCode = (mobile: string, text: string, signal: AbortSignal) => Promise<void>;

/** The parts of signing in. */
export interface MemberSignInParts {
  readonly members: Members;
  readonly codes: OneTimeCodes;
  readonly devices: Devices;
  readonly sendCode: SendCode;
  /** Told of codes that could not be sent: who asked for one is not. */
  readonly report: (error: HostError) => void;
  /** Told of each sign-in. */
  readonly signedIn: (member: Member, from: Pick<Device, "address" | "browser">) => Promise<void>;
}

/** A member who is signed in, and the device on which they are. */
export interface SignedInMember {
  readonly member: Member;
  readonly device: Device;
}

type From = Pick<Device, "address" | "browser">;

/** The way of members into the app: a code on their phone, then a cookie on their device. */
export class MemberSignIn {
  readonly #parts: MemberSignInParts;
  readonly #life = new AbortController();
  readonly #sending = new Set<Promise<void>>();

  constructor(parts: MemberSignInParts) {
    this.#parts = parts;
  }

  /**
   * Sends a code to a number that is on the roster. Nothing that the caller sees says whether it is.
   *
   * @returns milliseconds in which the code is good
   * @throws HostError `invalid_params` for what is no number; HttpError 429
   */
  async ask(text: string, { address }: From): Promise<number> {
    const mobile = await numberIn(text);
    const member = await this.#parts.members.byMobile(mobile);
    const known = member?.disabled === true ? undefined : member;
    const made = await this.#parts.codes.make({ mobile, address, member: known?.id });
    if ("waitMs" in made) throw tooMany(made);
    // Not awaited: sending takes time, which would tell who is on the roster.
    if (known !== undefined) this.#send(mobile, made.code);
    return CODE_LIFE;
  }

  /** Signs a device in. @returns the cookie's value @throws HostError `invalid_params`, `unauthorized` */
  async enter(text: string, code: string, from: From): Promise<string> {
    const id = await this.#parts.codes.take(await numberIn(text), code.replaceAll(/\s/g, ""));
    const member = id === undefined ? undefined : await this.#member(id);
    if (member === undefined)
      throw new HostError("unauthorized", "This code is wrong, used or too old. Ask for a new one.");
    const token = await this.#parts.devices.create(member.id, from);
    await this.#parts.signedIn(member, from);
    return token;
  }

  /** Finds who a cookie belongs to. Somebody who left the roster, or is disabled, is signed out with that. */
  async find(token: string): Promise<SignedInMember | undefined> {
    const device = await this.#parts.devices.find(token);
    if (device === undefined) return undefined;
    const member = await this.#member(device.user);
    if (member !== undefined) return { member, device };
    await this.#parts.devices.endAll(device.user);
    return undefined;
  }

  /** Whether there is anybody to sign in. */
  async isOpen(): Promise<boolean> {
    return !(await this.#parts.members.isEmpty());
  }

  /** Whether somebody is still signed in there. */
  async holds({ member, device }: SignedInMember): Promise<boolean> {
    return (await this.#parts.devices.has(device.id)) && (await this.#member(member.id)) !== undefined;
  }

  /** Ends what is being sent, and waits for it. */
  async close(): Promise<void> {
    this.#life.abort();
    await Promise.all(this.#sending);
  }

  async #member(id: string): Promise<Member | undefined> {
    const member = await this.#parts.members.byId(id);
    return member?.disabled === true ? undefined : member;
  }

  #send(mobile: string, code: string): void {
    const { sendCode, report } = this.#parts;
    const text = `${code} is your code for the chat. It is good for five minutes; give it to nobody.`;
    const sending: Promise<void> = sendCode(mobile, text, this.#life.signal)
      .catch((thrown: unknown) => report(toHostError(thrown)))
      .finally(() => void this.#sending.delete(sending));
    this.#sending.add(sending);
  }
}

/** As many write it abroad, too: with two zeros. */
const numberIn = (text: string): Promise<string> => mobileNumber(text.trim().replace(/^00/, "+"));

const LIMITS: Readonly<Record<CodeWait["of"], string>> = {
  number: "Three codes an hour are sent to one number.",
  address: "Too many codes were asked for from your network.",
};

const tooMany = ({ of, waitMs }: CodeWait): HttpError =>
  new HttpError(429, `${LIMITS[of]} Try again in ${Math.ceil(waitMs / 60_000)} minutes.`, {
    code: "too_many_codes",
    headers: { "retry-after": String(Math.ceil(waitMs / 1000)) },
  });
