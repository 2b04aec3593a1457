import { sessionToolsets, type UserPart } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { InboxEntry } from "../inbox/entry.ts";
import type { IncomingFile, IncomingMessage } from "../port/incoming.ts";
import type { PromptContent } from "./begin-prompt.ts";
import { sessionIfThere } from "./session-if-there.ts";
import type { ChatParts, KeepFile } from "./chat-parts.ts";
import { keptFileName } from "./kept-file-name.ts";

/** The files of a message as its prompt has them. */
export interface TakenFiles extends Pick<PromptContent, "pictures" | "refused"> {
  /** Where they lie in the session's workspace, in words for the model. */
  readonly notes: readonly string[];
}

/** A way to take the files of messages; done again it takes the same to the same places. */
export type PromptFiles = (entry: InboxEntry, signal: AbortSignal) => Promise<TakenFiles>;

const MOST_FILES = 10;
/** Bytes of a file, whatever its platform allows: it is in memory once. */
const LARGEST_FILE = 25_000_000;
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** The folder of a workspace in which the files lie. */
const FOLDER = "incoming";

/** Gets the files of messages: pictures go to the model, and all into the session's workspace where its tools reach it. */
export function promptFiles(parts: ChatParts): PromptFiles {
  return async (entry, signal) => {
    const { files } = entry.event as IncomingMessage;
    const taken = new Taken(parts, signal);
    if (files.length === 0) return taken;
    const workspace = await workspaceOf(parts, entry);
    for (const [index, file] of files.entries()) {
      const why = index < MOST_FILES ? undefined : `more than ${MOST_FILES} came with one message`;
      if (why !== undefined) taken.refuse(file, why);
      else await taken.take(file, { entry, workspace });
    }
    return taken;
  };
}

/** The workspace of a message's session, or why its files have no place, in the end of a sentence. */
type Workspace = Parameters<KeepFile>[1] | { readonly why: string };

/** The session may be any that somebody switched to; of a new one the owner's settings say what it will have. */
async function workspaceOf(parts: ChatParts, { event, sessionId }: InboxEntry): Promise<Workspace> {
  const { host, places, platform, settings } = parts;
  const id = sessionId ?? (await places.find(event.place))?.sessionId;
  const session = id === undefined ? undefined : await sessionIfThere(parts, id);
  await session?.refresh();
  const { workspace } = settings();
  const state = session?.state ?? { platform: "chat", source: platform.name, settings: {} };
  const hasFiles = sessionToolsets(host.services, state).some(({ name }) => name === "files");
  const { cwd, roots } = session?.state ?? { cwd: workspace ?? "", roots: [workspace ?? []].flat() };
  if (hasFiles && roots.length > 0) return { cwd, roots };
  const key = `platforms.${platform.name}.extra`;
  if (hasFiles && workspace !== undefined)
    return { why: "this conversation began without a folder for files; /new begins one that has it" };
  const missing = [
    ...(hasFiles ? [] : [`add files to ${key}.toolsets`]),
    ...(workspace === undefined ? [`set ${key}.workspace`] : []),
  ];
  return { why: `only pictures are read here. For other files my operator has to ${missing.join(" and ")}` };
}

/** The files of one message, one after the other. */
class Taken implements TakenFiles {
  readonly pictures: UserPart[] = [];
  readonly refused: string[] = [];
  readonly #parts: ChatParts;
  readonly #signal: AbortSignal;
  readonly #names = new Set<string>();
  readonly #kept: string[] = [];

  constructor(parts: ChatParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  get notes(): readonly string[] {
    return this.#kept.length === 0 ? [] : [`Files of this message: ${this.#kept.join("; ")}.`];
  }

  refuse({ name }: IncomingFile, why: string): void {
    this.refused.push(`The file ${shown(name)} was not taken: ${why.replace(/\.$/, "")}.`);
  }

  /** Takes a file, or says why not. Rejects only when this process ends. */
  async take(
    file: IncomingFile,
    { entry, workspace }: { readonly entry: InboxEntry; readonly workspace: Workspace },
  ): Promise<void> {
    const { fileIn } = this.#parts.platform.limits;
    const most = Math.min(fileIn, LARGEST_FILE);
    const isPicture = IMAGES.has(file.mediaType);
    if ((file.size ?? 0) > most)
      return this.refuse(file, `it is larger than ${Math.floor(most / 1_000_000)} MB`);
    if ("why" in workspace && !isPicture) return this.refuse(file, workspace.why);
    const { channel } = this.#parts;
    const download = channel.download?.bind(channel);
    if (download === undefined) return this.refuse(file, "files cannot be got here");
    try {
      let bytes: Promise<Uint8Array> | undefined;
      const get = (): Promise<Uint8Array> => (bytes ??= download(file, most, this.#signal));
      if (isPicture) await this.#show(file, await get());
      if (!("why" in workspace)) await this.#keep(file, { entry, workspace, get });
    } catch (thrown) {
      this.#signal.throwIfAborted();
      this.refuse(file, toHostError(thrown).message);
    }
  }

  async #show({ mediaType, name }: IncomingFile, bytes: Uint8Array): Promise<void> {
    const blob = await this.#parts.host.services.store.putBlob(bytes);
    this.pictures.push({ type: "image", blob, mediaType, name });
  }

  async #keep(
    { name: given, mediaType }: IncomingFile,
    {
      entry,
      workspace,
      get,
    }: {
      readonly entry: InboxEntry;
      readonly workspace: Parameters<KeepFile>[1];
      readonly get: Parameters<KeepFile>[2];
    },
  ): Promise<void> {
    const name = keptFileName(entry, given, this.#names);
    this.#names.add(name);
    const path = `${FOLDER}/${name}`;
    const size = await this.#parts.keepFile(path, workspace, get);
    this.#kept.push(`${path} (${plainType(mediaType)}, ${size} bytes)`);
  }
}

/** A file's name as it may stand in a sentence. */
const shown = (name: string): string => name.replaceAll(/[\p{C}\s()]+/gu, " ").slice(0, 100);

/** Some platforms hand on whatever the sender's program wrote. */
const plainType = (mediaType: string): string =>
  /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mediaType) ? mediaType : "application/octet-stream";
