import { type AgentContext, methods } from "@agentclientprotocol/sdk/unstable";
import type { ClientFiles } from "../../core/index.ts";
import { within } from "../../shared/async/deadline.ts";
import { defined } from "../../shared/json/defined.ts";
import { until } from "../session/client-peer.ts";
import type { EnvironmentPorts } from "../session/protocol-version.ts";

/** Milliseconds that an editor has to give a text; then the disk is asked instead. */
const READ_MS = 5000;
/** Milliseconds that saving may take: it may format, and wait for servers that do. */
const WRITE_MS = 20_000;

/** The files of the client's editor; `undefined` when it offers none. */
export function clientFiles(
  sessionId: string,
  { client, capabilities, clock }: EnvironmentPorts & { readonly client: AgentContext },
): ClientFiles | undefined {
  const readText: ClientFiles["readText"] = async (path, signal) => {
    try {
      const answer: { readonly content?: unknown } | null = await within(
        { clock, ms: READ_MS, signal },
        (stop) => client.request(methods.client.fs.readTextFile, { sessionId, path }, until(stop)),
      );
      return typeof answer?.content === "string" ? answer.content : undefined;
    } catch {
      // The text on the disk counts.
      return undefined;
    }
  };
  const writeText: ClientFiles["writeText"] = async (path, content, signal) => {
    try {
      await within({ clock, ms: WRITE_MS, signal }, (stop) =>
        client.request(methods.client.fs.writeTextFile, { sessionId, path, content }, until(stop)),
      );
      return true;
    } catch {
      // The caller looks at the disk, and writes there if need be.
      return false;
    }
  };
  const { readFile, writeFile } = capabilities;
  if (!readFile && !writeFile) return undefined;
  return defined({
    readText: readFile ? readText : undefined,
    writeText: writeFile ? writeText : undefined,
  });
}
