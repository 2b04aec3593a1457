import { createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import { later } from "../../../shared/memo/later.ts";
import { secretCheck } from "../../../shared/crypto/secret-check.ts";

/** The versions of the protocol between hosts that one speaks. */
export interface LinkVersions {
  readonly newest: number;
  /** One back works, so that machines can be updated one after the other. */
  readonly oldest: number;
}

/** What came before 2 was not sealed. */
export const LINK_VERSIONS: LinkVersions = { newest: 2, oldest: 2 };

/** One side of a link before it is trusted: nothing is told that a stranger may not know. */
export const hello = later(() =>
  z.object({
    /** It comes into messages before it is proved. */
    host: z.string().regex(/^[\w.:-]{1,100}$/),
    nonce: z.string().length(64),
    newest: z.int(),
    oldest: z.int(),
    /** The proof that it knows the secret; the host that is called gives it last. */
    proof: z.string().length(64).optional(),
  }),
);

/** A greeting as it is parsed. */
export type Greeting = z.output<ReturnType<typeof hello>>;

export const newGreeting = (host: string, { newest, oldest }: LinkVersions): Greeting => ({
  host,
  nonce: randomBytes(32).toString("hex"),
  newest,
  oldest,
});

/** The two sides of a link, the one that called first. */
export interface Sides {
  readonly caller: Greeting;
  readonly called: Greeting;
}

/** Proves the secret over both nonces, hosts and versions; one side's proof is not the other's. */
export function linkProof(secret: string, side: keyof Sides, { caller, called }: Sides): string {
  const said = [caller, called].map(({ host, nonce, newest, oldest }) => [host, nonce, newest, oldest]);
  return createHmac("sha256", secret)
    .update(JSON.stringify([side, said]))
    .digest("hex");
}

/** Whether a proof is the right one, in a time that says nothing. */
export const isProof = (given: string | undefined, wanted: string): boolean =>
  secretCheck(wanted)(given ?? "");

/** The version that both speak; `undefined` when there is none. */
export function commonVersion({ caller, called }: Sides): number | undefined {
  const version = Math.min(caller.newest, called.newest);
  return version >= Math.max(caller.oldest, called.oldest) ? version : undefined;
}
