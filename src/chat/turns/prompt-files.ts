import type { UserPart } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import type { AnswerContext } from "./answer-message.ts";
import type { ChatParts } from "./chat-parts.ts";

const MOST_FILES = 10;
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Gets the files of messages: pictures go to the model; what cannot be taken is said in words. */
export function promptFiles({ channel, host, platform }: ChatParts): AnswerContext["filesOf"] {
  return async ({ event }, signal) => {
    const { files } = event as IncomingMessage;
    const taken: UserPart[] = [];
    const refused: string[] = [];
    for (const [index, file] of files.entries()) {
      const why = refusalOf(index, file, platform.limits.fileIn);
      if (why !== undefined || channel.download === undefined) {
        refused.push(
          `The file ${file.name.slice(0, 100)} was not taken: ${why ?? "files cannot be got here"}.`,
        );
        continue;
      }
      try {
        const bytes = await channel.download(file, platform.limits.fileIn, signal);
        const blob = await host.services.store.putBlob(bytes);
        taken.push({ type: "image", blob, mediaType: file.mediaType, name: file.name });
      } catch (thrown) {
        signal.throwIfAborted();
        refused.push(`The file ${file.name.slice(0, 100)} could not be got: ${toHostError(thrown).message}`);
      }
    }
    return { files: taken, refused };
  };
}

function refusalOf(
  index: number,
  { mediaType, size = 0 }: IncomingMessage["files"][number],
  most: number,
): string | undefined {
  if (index >= MOST_FILES) return `more than ${MOST_FILES} came with one message`;
  if (size > most) return `it is larger than ${Math.floor(most / 1_000_000)} MB`;
  return IMAGES.has(mediaType) ? undefined : "this agent has no tools for files here";
}
