import { z } from "zod";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { type AnyTool, type ToolContext, type ToolSession, defineTool } from "../../../core/index.ts";
import { LARGEST_IMAGE, showImage } from "../files/show-image.ts";
import { type FileTools, workspaceOf } from "../files/file-tools.ts";
import { permitRead } from "../files/permit-read.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** A loader of images by address, behind the guards of the host's network. */
export interface ImageFetcher {
  /** @throws HostError `fetch_refused`, `fetch_failed`, `interrupted` */
  fetch(url: string, signal: AbortSignal): Promise<{ readonly bytes: Uint8Array }>;
}

/** The way that a call may go: whom its session serves decides what it reaches. */
export type ImagesFor = (call: Pick<ToolContext, "session" | "mayReach">) => ImageFetcher;

/** Options of the tool that shows images. */
export interface ViewImageOptions extends Pick<FileTools, "platform" | "apart" | "home"> {
  /** Without it images of the web cannot be viewed. */
  readonly imagesFor?: ImagesFor | undefined;
}

const input = z
  .object({
    path: z.string().min(1).optional().describe("The file, relative to the working directory or absolute"),
    url: z
      .string()
      .min(1)
      .max(4000)
      .optional()
      .describe("The address of an image on the web, in place of a path"),
    question: z.string().max(2000).optional().describe("What to look for"),
  })
  .refine(({ path, url }) => (path === undefined) !== (url === undefined), {
    error: "Give either path or url",
  });

type Input = z.output<typeof input>;

export function viewImageTool(options: ViewImageOptions): AnyTool {
  const workspace = (session: ToolSession): Workspace => workspaceOf(session, options);
  return defineTool({
    name: "view_image",
    toolset: "vision",
    description:
      "Shows an image (PNG, JPEG, GIF, WebP): a file of the workspace, or one on the web. Large ones are made smaller; of a moving one the first picture is shown then.",
    kind: "read",
    effect: "pure",
    input,
    label: ({ path, url }) => `View ${path ?? nameOf(url ?? "")}`.slice(0, 80),
    locations: ({ path }, session) => (path === undefined ? [] : [{ path: workspace(session).locate(path) }]),
    permit: ({ path, url = "" }, { session }) =>
      path === undefined
        ? Promise.resolve({ verdict: "allow", reaches: [url] })
        : permitRead(path, session, options),
    run: async (request, context) => {
      const bytes =
        request.path === undefined
          ? await bytesAt(request, options, context)
          : await bytesIn(request.path, workspace(context.session));
      const name = request.path ?? nameOf(request.url ?? "");
      return await showImage(bytes, { name, question: request.question, context });
    },
  });
}

async function bytesIn(path: string, workspace: Workspace): Promise<Uint8Array> {
  await using file = await workspace.openFile(path);
  if (file.stat.size > LARGEST_IMAGE)
    throw toolFailed(`${path} has ${file.stat.size} bytes; at most ${LARGEST_IMAGE} can be shown`);
  return await file.handle.readFile();
}

async function bytesAt(
  { url = "" }: Input,
  { imagesFor }: ViewImageOptions,
  context: ToolContext,
): Promise<Uint8Array> {
  if (imagesFor === undefined) throw toolFailed("Images of the web cannot be viewed here");
  return (await imagesFor(context).fetch(url, context.signal)).bytes;
}

/** The last part of an address, without what may be secret in its query. */
function nameOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? "the address" : `${parsed.host}${parsed.pathname}`.slice(0, 200);
}
