import { createPublicKey, verify } from "node:crypto";
import type { Records } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { RecordSpace } from "../../automation/work/record-space.ts";
import { codeHash, typedCode } from "./authenticator.ts";

/** The code of a Box, of which only the hash is in the database. */
interface ActivationState {
  readonly hash: string;
  readonly wrong: number;
}

/** The ways of an activation to the outside. */
export interface ActivationPorts {
  /** Shows a code on the machine itself, and nowhere else. */
  readonly show: (code: string) => Promise<void>;
  /** Takes it off again. */
  readonly clear: () => Promise<void>;
  /** Base64 of the Ed25519 key (SPKI) that licences are signed with; without it only their form is looked at. */
  readonly licenceKey?: string;
}

const SPACE = "dashboard.activation";
const KEY = "code";
const CODE_LENGTH = 8;
const MOST_WRONG = 10;

/** The activation of a Box: a code that its screen shows, and a licence. */
export class Activation {
  readonly #space: RecordSpace<ActivationState>;
  readonly #ports: ActivationPorts;

  constructor(records: Records, ports: ActivationPorts) {
    this.#ports = ports;
    this.#space = new RecordSpace<ActivationState>(records, {
      space: SPACE,
      name: "Activation",
      encode: (value) => ({ space: SPACE, key: KEY, value: JSON.stringify(value) }),
    });
  }

  /** Shows a new code; the one before is worth nothing any more. */
  async renew(): Promise<void> {
    await this.#space.remove(KEY);
    await this.#begin();
  }

  /**
   * Looks at the code of the screen and at the licence.
   *
   * @throws HostError `unauthorized` for a wrong code, of which ten make a new one; `invalid_params` for a licence
   */
  async check(code: string, licence: string): Promise<void> {
    if (!(await this.#isShown(code))) {
      throw new HostError(
        "unauthorized",
        "This is not the activation code that the machine's screen shows.",
        {
          details: { subject: "activation_code" },
        },
      );
    }
    const fault = licenceFault(licence, this.#ports.licenceKey);
    if (fault !== undefined)
      throw new HostError("invalid_params", fault, { details: { subject: "licence" } });
  }

  /** Says whether a code is the one on the screen. The last wrong one that is taken makes another one. */
  async #isShown(code: string): Promise<boolean> {
    const hash = codeHash(code);
    let renewed: string | undefined;
    const state = await this.#space.change(KEY, (each) => {
      renewed = undefined;
      if (each.hash === hash) return undefined;
      const wrong = each.wrong + 1;
      if (wrong < MOST_WRONG) return { ...each, wrong };
      renewed = typedCode(CODE_LENGTH);
      return { hash: codeHash(renewed), wrong: 0 };
    });
    // Of several requests at once only the one whose code counts shows it.
    if (renewed !== undefined) await this.#ports.show(renewed);
    if (state === undefined) await this.#begin();
    return state?.hash === hash;
  }

  /** Makes a first code, and shows it unless another request was faster. */
  async #begin(): Promise<void> {
    const code = typedCode(CODE_LENGTH);
    if (await this.#space.add({ hash: codeHash(code), wrong: 0 })) await this.#ports.show(code);
  }

  /** The Box is activated: no code is good any more. */
  async done(): Promise<void> {
    await this.#space.remove(KEY);
    await this.#ports.clear();
  }
}

/** `CLAW-`, what is licensed, and its signature where one is asked for. */
const LICENCE = /^CLAW-([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)(?:\.([A-Za-z0-9_-]{86}))?$/;

/**
 * Tells what is wrong with a licence, as a sentence. It is `CLAW-<text>`; with a key `CLAW-<text>.<signature>`, the Ed25519
 * signature of `CLAW-<text>` in base64url.
 */
export function licenceFault(licence: string, key?: string): string | undefined {
  const match = LICENCE.exec(licence.trim());
  if (match === null) return "A licence looks like CLAW-XXXX-XXXX-XXXX.";
  if (key === undefined) return undefined;
  const [, text = "", signature] = match;
  if (signature === undefined) return "This licence is not signed.";
  const publicKey = createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" });
  const signed = verify(null, Buffer.from(`CLAW-${text}`), publicKey, Buffer.from(signature, "base64url"));
  return signed ? undefined : "The signature of this licence is not good.";
}
