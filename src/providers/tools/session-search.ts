import { z } from "zod";
import {
  type AnyTool,
  defineTool,
  type Platform,
  type TextHit,
  type SearchPage,
  type Store,
  textPart,
} from "../../core/index.ts";
import { formatAge } from "../../shared/text/format.ts";

/** Where the owner works alone. What others said in chats and calls is not told to a model that did not ask them. */
const OWN: readonly Platform[] = ["cli", "tui", "acp", "library", "job"];
const MOST = 20;
/** Searches of one call: older sessions may still be read into the index. */
const MOST_TRIES = 100;

const input = z.object({
  query: z
    .string()
    .describe('Words that all have to be there; "a phrase" in quotes as it stands; wor* for a beginning'),
  limit: z.int().min(1).max(MOST).default(8).describe("Sessions, at most"),
});

/** The tool that finds earlier conversations of the owner. */
export function sessionSearchTool(store: Pick<Store, "search">): AnyTool {
  return defineTool({
    name: "session_search",
    toolset: "sessions",
    description:
      "Searches the user's earlier conversations with you for words, and gives the best place of each: what was asked, answered or done, and when. Use it when the user refers to something that was said or decided before.",
    kind: "search",
    effect: "pure",
    input,
    offered: ({ platform }) => OWN.includes(platform),
    label: ({ query }) => `Search sessions: ${query}`.slice(0, 80),
    permit: () => Promise.resolve({ verdict: "allow" }),
    async run({ query, limit }, { session, clock, signal }) {
      if (session.memoryScope !== undefined)
        throw new Error(
          "This conversation is one user's, and the others are not: they cannot be searched here.",
        );
      // The present conversation is known already, and has the words because they were just said.
      const found = await searched(store, { words: `${query} `, limit: limit + 1, platforms: OWN }, signal);
      const hits = found.hits.filter((hit) => hit.session.id !== session.id).slice(0, limit);
      const lines = hits.map((hit) => hitText(hit, clock.now()));
      const rest = found.complete ? [] : ["(Older conversations are not in the index yet.)"];
      const text = [...(lines.length === 0 ? ["Nothing was found."] : lines), ...rest].join("\n\n");
      return {
        outcome: "ok",
        content: [textPart(text)],
        summary: `${hits.length} found`,
        ...(hits.some((hit) => hit.session.state.sensitive === true) && { sensitive: true }),
      };
    },
  });
}

async function searched(
  store: Pick<Store, "search">,
  query: Parameters<Store["search"]>[0],
  signal: AbortSignal,
): Promise<SearchPage> {
  for (let tries = 1; ; tries += 1) {
    const page = await store.search(query);
    if (page.complete || tries === MOST_TRIES || signal.aborted) return page;
  }
}

const KIND_WORDS = {
  title: "Title",
  prompt: "The user said",
  answer: "You answered",
  tool: "You called",
} as const;

function hitText({ session: { id, state }, place, places }: TextHit, now: number): string {
  const more = places > 1 ? `; ${places} places` : "";
  const title = state.title || state.preview;
  return `${title} (${id}, ${formatAge(now - place.at)}, in ${state.cwd}${more})\n${KIND_WORDS[place.kind]}: ${place.text}`;
}
