import type { Host, Session } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** A session; `undefined` when there is none, or not any more. */
export async function sessionIfThere(
  { host }: { readonly host: Host },
  id: string,
): Promise<Session | undefined> {
  try {
    return await host.session(id);
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.code === "session_not_found") return undefined;
    throw thrown;
  }
}
