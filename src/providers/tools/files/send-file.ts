import { basename } from "node:path";
import { z } from "zod";
import {
  type AnyTool,
  type ToolContext,
  type ToolResult,
  defineTool,
  textPart,
} from "../../../core/index.ts";
import { mediaTypeOf } from "../../../shared/content/media-type.ts";
import { defined } from "../../../shared/json/defined.ts";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { workspaceOf, type FileTools } from "./file-tools.ts";
import { permitRead } from "./permit-read.ts";

/** The chats to which files can be sent. */
export interface FileChats {
  /** Whether a chat platform takes files of the agent. */
  takes(platform: string): boolean;
  /** Bytes of the largest one that it takes. */
  largest(platform: string): Promise<number>;
}

/** Bytes of a file, whatever its platform allows: it is in memory while it is sent. */
const LARGEST = 25_000_000;
/** Characters: the shortest caption that a platform allows has 1,024, with its markup. */
const LONGEST_CAPTION = 800;

const input = z.object({
  path: z.string().min(1).describe("The file, relative to the working directory or absolute"),
  caption: z
    .string()
    .max(LONGEST_CAPTION)
    .optional()
    .describe("A sentence beside the file, in Markdown; what you write around the call is sent anyway"),
});

type Input = z.output<typeof input>;

/** The tool that hands a file to whom the agent talks with in a chat. */
export function sendFileTool({ chats, ...tools }: FileTools & { readonly chats: FileChats }): AnyTool {
  return defineTool({
    name: "send_file",
    toolset: "files",
    description:
      "Sends a file of the workspace to the chat in which you are asked, as it is now, below what you have written so far. Send what people asked for or need; they cannot see the workspace.",
    kind: "other",
    effect: "once",
    changes: "nothing",
    input,
    offered: ({ platform, source, depth }) => platform === "chat" && depth === 0 && chats.takes(source),
    label: ({ path }) => `Send ${path}`,
    locations: ({ path }, session) => [{ path: workspaceOf(session, tools).locate(path) }],
    leavesMachine: () => true,
    permit: ({ path }, { session }) => permitRead(path, session, { ...tools, verb: "send" }),
    run: (request, context) => handOver(request, context, { tools, chats }),
  });
}

async function handOver(
  { path, caption }: Input,
  context: ToolContext,
  { tools, chats }: { readonly tools: FileTools; readonly chats: FileChats },
): Promise<ToolResult> {
  const { session, from } = context;
  if (from.surface !== "chat")
    throw toolFailed(`Nobody asks in a chat now. The file stays at ${path}; say so`);
  // Somebody may go on in a chat of another platform.
  const [platform = session.source] = from.client?.split(":") ?? [];
  const most = Math.min(LARGEST, await chats.largest(platform));
  await using file = await workspaceOf(session, tools).openFile(path);
  const size = Number(file.stat.size);
  if (size === 0) throw toolFailed(`${path} is empty, and chats take no empty files`);
  if (size > most)
    throw toolFailed(
      `${path} has ${size} bytes; at most ${most} can be sent here. Make it smaller, or send parts`,
    );
  const bytes = new Uint8Array(size);
  const { bytesRead } = await file.handle.read(bytes, 0, size, 0);
  if (bytesRead < size) throw toolFailed(`${path} is being changed; send it when it is whole`);
  const name = basename(file.path);
  const blob = await context.putBlob(bytes);
  const handed = { blob, name, mediaType: mediaTypeOf(name, bytes), ...defined({ caption }) };
  return {
    outcome: "ok",
    content: [textPart(`${name} (${bytes.length} bytes) is sent to the chat.`)],
    summary: `${bytes.length} bytes`,
    files: [handed],
  };
}
