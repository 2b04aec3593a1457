import type { RecordDraft, Records, StoredRecord } from "../../../core/index.ts";
import { MEMORY_TARGETS, type MemoryName, type MemoryTexts, type NamedText } from "./memory-texts.ts";

const SPACE = "knowledge.memory";
/** Records that are read at once. */
const PAGE = 200;

/** The memory as records of a store that several machines share. */
export class MemoryRecords implements MemoryTexts {
  readonly place = "the database that the machines share";
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async read(name: MemoryName): Promise<string> {
    const record = await this.#records.get(SPACE, keyOf(name));
    return record === undefined ? "" : textOf(record);
  }

  async change(name: MemoryName, change: (before: string) => string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const record = await this.#records.get(SPACE, keyOf(name));
      const before = record === undefined ? "" : textOf(record);
      const text = change(before);
      if (text === before) return;
      const draft = memoryDraft(name, text);
      // Whoever was faster has changed it: then it is done on their text.
      const isDone =
        record === undefined
          ? (await this.#records.add(draft)).added
          : (await this.#records.replace(draft, record.version)) !== undefined;
      if (isDone) return;
    }
  }

  async all(): Promise<readonly NamedText[]> {
    const found = new Map<string, string>();
    let after: number | undefined;
    for (;;) {
      const query = { space: SPACE, limit: PAGE, ...(after === undefined ? {} : { after }) };
      const records = await this.#records.list(query);
      for (const record of records) found.set(record.key, textOf(record));
      after = records.at(-1)?.position;
      if (records.length < PAGE) break;
    }
    const scopes = new Set(["", ...[...found.keys()].map((key) => key.split("/", 1)[0] ?? "").toSorted()]);
    return [...scopes].flatMap((scope) =>
      MEMORY_TARGETS.map((target) => ({ scope, target, text: found.get(keyOf({ scope, target })) ?? "" })),
    );
  }
}

/** The record that holds a text of the memory. */
export const memoryDraft = (name: MemoryName, text: string): RecordDraft => ({
  space: SPACE,
  key: keyOf(name),
  value: JSON.stringify({ text }),
});

const keyOf = ({ scope, target }: MemoryName): string => `${scope}/${target}`;

function textOf({ value }: StoredRecord): string {
  // Nothing else writes this space.
  const { text } = JSON.parse(value) as { readonly text: string };
  return text;
}
