import type { Permit, ToolSession } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { isTooWide } from "../workspace/roots.ts";
import { isSecret } from "../workspace/sensitive.ts";
import { workspaceOf, type FileTools } from "./file-tools.ts";

/** Asks before a file with secrets is read, or sent, or anything of a workspace that is a person's home or the whole disk. */
export async function permitRead(
  path: string,
  session: ToolSession,
  {
    verb = "read",
    ...tools
  }: Pick<FileTools, "platform" | "apart" | "home"> & { readonly verb?: "read" | "send" },
): Promise<Permit> {
  const workspace = workspaceOf(session, tools);
  const real = await workspace.realPath(path).catch((error: unknown) => {
    // The call itself says what is wrong with its path.
    if (error instanceof HostError) return undefined;
    throw error;
  });
  if (real === undefined) return { verdict: "allow" };
  const secret = isSecret(real) || isSecret(workspace.locate(path));
  const wide = isTooWide(session.roots, tools.home);
  if (!secret && !wide) return { verdict: "allow" };
  return {
    verdict: "ask",
    harmless: false,
    command: `${verb} ${path}`,
    description: secret
      ? `${DOES[verb]} ${path}, which may hold secrets`
      : `${DOES[verb]} ${path}; the workspace is a whole home folder or disk, so everything is asked`,
    reasons: [secret ? `may ${verb} a secret` : `${verb}s from a folder that holds everything of yours`],
    patterns: [secret ? `${verb}:${real}` : `${verb}:${session.roots[0] ?? "/"}/**`],
    allowPermanent: false,
    ...(secret ? { sensitive: true } : {}),
  };
}

const DOES = { read: "Reads", send: "Sends" } as const;
