import { type AgentContext, methods } from "@agentclientprotocol/sdk/unstable";
import type { ClientFiles } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import { within } from "../../shared/async/deadline.ts";

/** An editor that has not said anything after this will not: the disk is asked instead. */
const READ_MS = 5000;
/** Saving may format, and wait for servers that do. */
const WRITE_MS = 20_000;

/** The files of the client's editor; `undefined` when it offers none. */
export function clientFiles(
  sessionId: string,
  {
    client,
    abilities,
    clock,
  }: { readonly client: AgentContext; readonly abilities: ClientCapabilities; readonly clock: Clock },
): ClientFiles | undefined {
  const readText: ClientFiles["readText"] = async (path, signal) => {
    try {
      const answer: { readonly content?: unknown } | null = await within(
        { clock, ms: READ_MS, signal },
        (stop) => client.request(methods.client.fs.readTextFile, { sessionId, path }, options(stop)),
      );
      return typeof answer?.content === "string" ? answer.content : undefined;
    } catch {
      // The disk says what there is.
      return undefined;
    }
  };
  const writeText: ClientFiles["writeText"] = async (path, content, signal) => {
    try {
      await within({ clock, ms: WRITE_MS, signal }, (stop) =>
        client.request(methods.client.fs.writeTextFile, { sessionId, path, content }, options(stop)),
      );
      return true;
    } catch {
      // Whoever wanted it written looks at the disk, and writes it there if need be.
      return false;
    }
  };
  const { readFile, writeFile } = abilities;
  if (!readFile && !writeFile) return undefined;
  return { ...(readFile ? { readText } : {}), ...(writeFile ? { writeText } : {}) };
}

const options = (signal: AbortSignal) => ({ cancellationSignal: signal, stopWaitingOnCancel: true });
