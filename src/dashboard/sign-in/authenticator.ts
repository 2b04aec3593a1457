import { createHash, randomBytes } from "node:crypto";

const PERIOD = 30;
const DRIFT_STEPS = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** Letters and digits that nobody takes for each other. */
const SIGNS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** The key of an authenticator app, and the newest step whose code was used. */
export interface Authenticator {
  /** Base32. */
  readonly secret: string;
  /** Steps of 30 s since 1970; a code of this or an earlier one is refused. */
  readonly lastStep: number;
}

/** The key of an authenticator, as an app takes it up. */
export interface Enrolment {
  /** `otpauth://totp/…` */
  readonly uri: string;
  /** The same as a QR code. */
  readonly svg: string;
}

/** Makes the key of an authenticator app. */
export async function newAuthenticator(): Promise<Authenticator> {
  const { Secret } = await import("otpauth");
  return { secret: new Secret({ size: SECRET_BYTES }).base32, lastStep: 0 };
}

/** Shows a key to an authenticator app. */
export async function enrolmentOf({ secret }: Authenticator, label: string): Promise<Enrolment> {
  const { TOTP } = await import("otpauth");
  const { toString } = await import("qrcode");
  const uri = new TOTP({ issuer: "Agent", label, secret, period: PERIOD }).toString();
  return { uri, svg: await toString(uri, { type: "svg", margin: 2 }) };
}

/**
 * Looks at a code of six digits (RFC 6238), one step early or late at most.
 *
 * @returns its step, which is used from now on; `undefined` when the code is wrong or was used
 */
export async function acceptedStep(
  { secret, lastStep }: Authenticator,
  code: string,
  now: number,
): Promise<number | undefined> {
  const { TOTP } = await import("otpauth");
  const token = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = new TOTP({ secret, period: PERIOD }).validate({ token, timestamp: now, window: DRIFT_STEPS });
  if (delta === null) return undefined;
  const step = Math.floor(now / 1000 / PERIOD) + delta;
  return step > lastStep ? step : undefined;
}

/** Makes a code that a person can type: `length` signs, no look-alikes. */
export function typedCode(length: number): string {
  return [...randomBytes(length)].map((byte) => SIGNS[byte % SIGNS.length]).join("");
}

/** Makes the codes that stand in for a lost phone, each once. */
export const newRecoveryCodes = (): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () => `${typedCode(5)}-${typedCode(5)}`);

/** The form in which a code that is typed or followed once is kept. */
export const codeHash = (code: string): string =>
  createHash("sha256").update(code.replaceAll(/[\s-]/g, "").toUpperCase()).digest("base64url");
