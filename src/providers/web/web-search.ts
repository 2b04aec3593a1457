import { z } from "zod";
import { type AnyTool, type ToolContext, type ToolRun, defineTool, textPart } from "../../core/index.ts";
import { toolFailed } from "../../shared/errors/host-error.ts";
import type { EngineChoice } from "./search/choose-engine.ts";
import type { SearchHit } from "./search/search-engine.ts";
import { untrusted } from "./untrusted.ts";

const MOST = 20;
const USUAL = 8;
/** Characters of one result. */
const LONGEST_TEXT = 1000;

const input = z.object({
  query: z.string().trim().min(1).max(1000),
  limit: z.number().int().min(1).max(MOST).optional().describe(`Number of results, ${USUAL} by default`),
});

type Input = z.output<typeof input>;

/** @param choice - the engine as it is configured now */
export function webSearchTool(choice: EngineChoice): AnyTool {
  return defineTool({
    name: "web_search",
    toolset: "web",
    description:
      "Searches the web and gives titles, addresses and a few sentences of each result. Read the pages that matter with web_read before relying on them.",
    kind: "search",
    effect: "pure",
    input,
    label: ({ query }) => `Search the web for ${query}`.slice(0, 80),
    permit: () => Promise.resolve({ verdict: "allow" }),
    run: (request, context) => run(request, choice, context),
  });
}

async function* run(
  { query, limit = USUAL }: Input,
  choice: EngineChoice,
  { turnId, callId, signal }: ToolContext,
): ToolRun {
  const { engine } = choice;
  if (engine === undefined) throw toolFailed(choice.remedy);
  yield { preview: `Asking ${engine.name}` };
  const hits = await engine.search({ query, limit, signal });
  const summary = hits.length === 1 ? "1 result" : `${hits.length} results`;
  const text =
    hits.length === 0
      ? `${engine.name} found nothing. Try other words.`
      : untrusted(hits.map(shown).join("\n\n"), { source: engine.name, secret: `${turnId} ${callId}` });
  return { outcome: "ok", content: [textPart(text)], summary };
}

function shown({ title, url, text, date }: SearchHit, index: number): string {
  const about = oneLine(text).slice(0, LONGEST_TEXT).toWellFormed();
  const lines = [
    `${index + 1}. ${oneLine(title).slice(0, 200).toWellFormed() || url.slice(0, 200)}`,
    `   ${url.slice(0, 2000)}${date === undefined ? "" : ` (${oneLine(date).slice(0, 40)})`}`,
    ...(about === "" ? [] : [`   ${about}`]),
  ];
  return lines.join("\n");
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
