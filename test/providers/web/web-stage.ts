import type { IncomingMessage, ServerResponse } from "node:http";
import type { Toolset } from "../../../src/core/index.ts";
import type { Clock } from "../../../src/shared/async/clock.ts";
import { guardedFetcher } from "../../../src/providers/fetch/index.ts";
import { chooseEngine, type SearchConfig, webToolset } from "../../../src/providers/web/index.ts";
import { handClock } from "../../kit/clock.ts";
import { site } from "../../kit/site.ts";
import { type ToolRun, type ToolStage, toolStage } from "../../kit/tool-context.ts";

export interface WebStage extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
  readonly toolset: Toolset;
  readonly stage: ToolStage;
  call(name: string, input: unknown): Promise<ToolRun>;
}

export interface WebStageOptions {
  readonly search?: SearchConfig;
  readonly env?: Readonly<Record<string, string>>;
  readonly limit?: number;
  readonly clock?: Clock;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The toolset `web` with one server on this machine, which it may reach. */
export async function webStage(answer: Handler, options: WebStageOptions = {}): Promise<WebStage> {
  const server = await site(answer);
  // No time passes by itself: a busy machine must not end the reading of a page.
  const { clock = handClock(), search: config = {}, env = {} } = options;
  const url = `http://127.0.0.1:${server.port}`;
  const fetcher = guardedFetcher({ clock, allow: [`127.0.0.1:${server.port}`] });
  const own = config.url === undefined ? config : { ...config, url: url + config.url };
  const search = chooseEngine(own, { env, fetcherTo: () => fetcher });
  const outputLimit = options.limit === undefined ? {} : { outputLimit: options.limit };
  const toolset = webToolset({ clock, fetcherFor: () => fetcher, search, ...outputLimit });
  const stage = toolStage({ cwd: "/", clock });
  return {
    url,
    requests: server.requests,
    toolset,
    stage,
    async call(name, input) {
      const tool = toolset.tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}`);
      return await stage.run(tool, input);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Answers each path with a text of its own. */
export const pages =
  (texts: Readonly<Record<string, string | Uint8Array>>, contentType = "text/html"): Handler =>
  ({ url = "" }, response) => {
    const text = texts[url];
    if (text === undefined) response.writeHead(404).end("nothing");
    else response.writeHead(200, { "content-type": contentType }).end(text);
  };
