import type { RecordDraft } from "../../core/index.ts";
import { memoryDraft } from "../../providers/knowledge/index.ts";
import { SHARED_FILES } from "../config/home-secrets.ts";
import { homeParts } from "./home-parts.ts";
import { textDraft } from "./shared-texts.ts";

/** The records of what a home keeps in files and machines share: what is remembered, and texts that commands change. */
export async function recordsOfFiles(home: string): Promise<readonly RecordDraft[]> {
  using parts = homeParts(home);
  const { memory, texts } = parts;
  const remembered = (await memory.all()).filter(({ text }) => text !== "");
  const written = SHARED_FILES.map((name) => ({ name, text: texts.read(name) }));
  return [
    ...remembered.map(({ text, ...name }) => memoryDraft(name, text)),
    ...written.filter(({ text }) => text !== "").map(({ name, text }) => textDraft(name, text)),
  ];
}
