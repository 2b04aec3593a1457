import { z } from "zod";
import { visibleLine } from "./visible-text.ts";

/** The tools, prompts and resources that a server offers. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedPrompt[];
  readonly resources: boolean;
  /** The parts that were left out, and why; for people. */
  readonly notes: readonly string[];
}

/** Entries of a list that are taken from one server. */
const MOST = 256;
/** Pages of a list that are asked for. */
const MOST_PAGES = 20;

/** A page of a list; what is in it is looked at entry by entry. */
export const ListPage = z.looseObject({ nextCursor: z.string().optional() });
const Text = z.string().optional().catch(undefined);

const ToolWire = z
  .object({
    name: z.string().min(1).max(1000),
    title: Text,
    description: Text,
    inputSchema: z.unknown().optional(),
    annotations: z.object({ title: Text, readOnlyHint: z.boolean().optional() }).optional().catch(undefined),
  })
  .transform(({ title, annotations, ...tool }) => ({
    ...tool,
    title: title ?? annotations?.title,
    readOnly: annotations?.readOnlyHint === true,
  }));

/** A tool as its server lists it, before any of it is believed. */
export type ListedTool = z.output<typeof ToolWire>;

const PromptWire = z.object({
  name: z.string().min(1).max(200),
  description: Text,
  arguments: z
    .array(
      z.object({ name: z.string().min(1).max(200), description: Text, required: z.boolean().default(false) }),
    )
    .max(50)
    .default([]),
});

/** A prompt as its server lists it. */
export type ListedPrompt = z.output<typeof PromptWire>;

/** Reads entries one by one: one that is wrong costs only itself. */
export const readTools = (entries: readonly unknown[], notes: string[]): readonly ListedTool[] =>
  read(ToolWire, entries, { what: "tool", notes });

export const readPrompts = (entries: readonly unknown[], notes: string[]): readonly ListedPrompt[] =>
  read(PromptWire, entries, { what: "prompt", notes });

/**
 * Asks for a list page by page, up to what is taken from one server.
 *
 * @throws Error when a page has no list
 */
export async function allPages(
  key: string,
  ask: (cursor: string | undefined) => Promise<z.output<typeof ListPage>>,
): Promise<readonly unknown[]> {
  const entries: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES && entries.length <= MOST; pages += 1) {
    const page = await ask(cursor);
    const part = page[key];
    if (!Array.isArray(part)) throw new Error(`it lists its ${key} in no form that is known`);
    entries.push(...part.slice(0, MOST + 1));
    if (page.nextCursor === undefined || page.nextCursor === cursor) break;
    cursor = page.nextCursor;
  }
  return entries;
}

function read<Wire extends z.ZodType<{ readonly name: string }>>(
  wire: Wire,
  entries: readonly unknown[],
  { what, notes }: { readonly what: string; readonly notes: string[] },
): readonly z.output<Wire>[] {
  const byName = new Map<string, z.output<Wire>>();
  for (const entry of entries.slice(0, MOST)) {
    const parsed = wire.safeParse(entry);
    if (!parsed.success)
      notes.push(`a ${what} was left out: ${visibleLine(z.prettifyError(parsed.error), 200)}`);
    else if (!byName.has(parsed.data.name)) byName.set(parsed.data.name, parsed.data);
  }
  if (entries.length > MOST) notes.push(`only the first ${MOST} ${what}s are offered`);
  return [...byName.values()];
}
