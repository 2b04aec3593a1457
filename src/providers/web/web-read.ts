import { z } from "zod";
import {
  type AnyTool,
  type ToolContext,
  type ToolResult,
  type ToolRun,
  defineTool,
  textPart,
} from "../../core/index.ts";
import { toolFailed } from "../../shared/errors/host-error.ts";
import type { PageCache, ReadPage } from "./page-cache.ts";
import type { FetcherFor } from "./ports.ts";
import { type PageSource, readPage } from "./read-page.ts";
import { untrusted } from "./untrusted.ts";

const input = z.object({
  url: z.string().trim().min(1).max(4000).describe("The whole address, with http:// or https://"),
  offset: z.number().int().min(0).optional().describe("Character to begin at, to go on with a long page"),
});

type Input = z.output<typeof input>;

/** Options of the tool that reads pages. */
export interface WebReadOptions extends Pick<PageSource, "reader"> {
  readonly fetcherFor: FetcherFor;
  readonly pages: PageCache;
  /** Characters of one result. */
  readonly limit: number;
}

export function webReadTool(options: WebReadOptions): AnyTool {
  return defineTool({
    name: "web_read",
    toolset: "web",
    description:
      "Reads a page of the web: HTML as Markdown with its links and images, PDF as text, other text as it is. Long pages come in parts: go on with `offset`. It cannot log in or run scripts.",
    kind: "fetch",
    effect: "pure",
    input,
    label: ({ url }) => `Read ${shortAddress(url)}`,
    permit: ({ url }) => Promise.resolve({ verdict: "allow", reaches: [withScheme(url)] }),
    run: (request, context) => run(request, { options, context }),
  });
}

async function* run(
  { url, offset = 0 }: Input,
  { options, context }: { readonly options: WebReadOptions; readonly context: ToolContext },
): ToolRun {
  const { pages, limit, reader, fetcherFor } = options;
  const { session, signal, mayReach } = context;
  const address = withScheme(url);
  // What one session may read another may not.
  const key = `${session.id} ${address}`;
  // Only going on takes what was read before: whoever begins wants the page as it is now.
  let page = offset > 0 ? pages.get(key) : undefined;
  if (page === undefined) {
    yield { preview: `Fetching ${shortAddress(address)}` };
    page = await readPage(address, { reader, fetcher: fetcherFor(session), mayReach }, signal);
    pages.put(key, page);
  }
  return present(page, { offset, limit, context });
}

/** Characters that what stands around the text may take. */
const FRAME = 1200;

function present(
  { url, title, text, note }: ReadPage,
  part: { readonly offset: number; readonly limit: number; readonly context: ToolContext },
): ToolResult {
  const { offset, limit, context } = part;
  const all = text.length;
  if (offset > 0 && offset >= all)
    throw toolFailed(`${shortAddress(url)} has ${all} characters; there is no character ${offset}.`);
  const said = cut(text, offset, Math.max(1000, limit - FRAME));
  const end = offset + said.length;
  const isWhole = said.length === all;
  const about = [note, isWhole ? undefined : `characters ${offset} to ${end} of ${all}`].filter(
    (each) => each !== undefined,
  );
  const name = title.slice(0, 300) || shortAddress(url);
  const body = `${offset === 0 ? `# ${name}\n\n` : ""}${said === "" ? "(It says nothing; perhaps it needs scripts, which are not run.)" : said}`;
  const lines = [
    `${url.slice(0, 500)}${about.length === 0 ? "" : ` (${about.join("; ")})`}`,
    untrusted(body, { source: url.slice(0, 200), secret: `${context.turnId} ${context.callId}` }),
    ...(end < all ? [`[Go on with offset ${end}.]`] : []),
  ];
  return {
    outcome: "ok",
    content: [textPart(lines.join("\n"))],
    summary: `${oneLine(name)}, ${all} characters`,
  };
}

/** A part that ends with a line where one ends near. */
function cut(text: string, offset: number, room: number): string {
  if (text.length - offset <= room) return text.slice(offset);
  const part = text.slice(offset, offset + room);
  const end = part.lastIndexOf("\n");
  if (end > 0.7 * room) return part.slice(0, end + 1);
  // Not between the halves of a character.
  return /[\uD800-\uDBFF]$/.test(part) ? part.slice(0, -1) : part;
}

const withScheme = (url: string): string =>
  /^[a-z][a-z\d+.-]*:/i.test(url) && !/^[\w.-]+:\d/.test(url) ? url : `https://${url.replace(/^\/\//, "")}`;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 100);

/** An address as people read it. */
function shortAddress(url: string): string {
  const parsed = URL.parse(url);
  const text = parsed === null ? url : `${parsed.host}${parsed.pathname === "/" ? "" : parsed.pathname}`;
  return text.length > 70 ? `${text.slice(0, 69)}…` : text;
}
