import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { sendsFiles } from "../../../src/chat/names.ts";
import type { Toolset } from "../../../src/core/index.ts";
import { SeenFiles } from "../../../src/providers/tools/files/seen-files.ts";
import { sendFileTool } from "../../../src/providers/tools/files/send-file.ts";

/** The toolset of files, as far as chats need it. */
export function fileTools(): readonly Toolset[] {
  const limitOf = (name: string): number =>
    CHAT_PLATFORMS.find((platform) => platform.name === name)?.limits.fileOut ?? 0;
  const tool = sendFileTool({
    platform: process.platform,
    seen: new SeenFiles(),
    limit: 10_000,
    apart: [],
    home: "/nowhere",
    chats: { takes: sendsFiles, largest: (name) => Promise.resolve(limitOf(name)) },
  });
  return [{ name: "files", label: "Files", description: "Files", tools: [tool], configured: true }];
}
