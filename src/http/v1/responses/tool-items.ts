import { isJsonObject } from "../../../shared/json/json.ts";
import type { HttpContext } from "../../server/context.ts";
import { badRequest } from "../../server/http-error.ts";
import type { ToolItemsSetting } from "../../turns/settings.ts";
import type { ToolItems } from "./items.ts";

const HEADER = "X-Agent-Tool-Items";

/**
 * Clients that run the calls that they are shown, or fail at them, by the product that their `User-Agent` names. They
 * were run against this server. The bare `openai` packages run nothing by themselves.
 */
const RUNNERS: readonly RegExp[] = [
  // @openai/agents (`Agents/JavaScript 0.20.0`), openai-agents (`Agents/Python 0.9.0`)
  /^agents\//i,
  // ai and its providers (`ai/7.0.1 ai-sdk-openai/4.0.1`), older ones `ai-sdk/openai/2.0.1`
  /^ai(?:-sdk[\w-]*)?\//i,
  // @langchain/openai (`langchainjs-openai/1.0.0`)
  /^langchain/i,
  // codex (`codex_cli_rs/0.63.0`, `codex_exec/0.63.0`, `codex-tui/0.63.0`)
  /^codex/i,
  // pi (`pi (linux …)`, `pi/0.70.0`)
  /^pi(?:\/|$)/i,
];

/** Clients of that kind by the header `originator`, which codex and pi send. */
const ORIGINATORS = /^(?:codex|pi$)/i;

/** Tools that the endpoint runs; all others are for the client to run. */
const HOSTED = /^(?:web_search|file_search|code_interpreter|image_generation|mcp$)/;

/** The facts that `auto` decides by. */
export interface ToolItemFacts {
  readonly setting: ToolItemsSetting;
  readonly tools: readonly unknown[];
  /** The client sent a result for a call that it was only shown. */
  readonly ranShownCalls: boolean;
}

/**
 * Chooses the form in which the calls of a response are shown: as the request or the server's owner says, else
 * `mcp_call` to clients that would run what they are shown.
 *
 * @throws HttpError 400
 */
export function chooseToolItems(c: HttpContext, facts: ToolItemFacts): ToolItems {
  const given = c.req.header(HEADER)?.trim().toLowerCase() ?? "";
  if (given !== "" && !isSetting(given))
    throw badRequest(`${HEADER} must be one of: auto, function_call, mcp_call.`, HEADER);
  const asked = given === "" ? facts.setting : given;
  if (asked !== "auto") return asked;
  const runs = facts.ranShownCalls || facts.tools.some(isForClient) || isRunner(c);
  return runs ? "mcp_call" : "function_call";
}

const isSetting = (text: string): text is ToolItemsSetting =>
  text === "auto" || text === "function_call" || text === "mcp_call";

const isForClient = (tool: unknown): boolean =>
  isJsonObject(tool) && !(typeof tool["type"] === "string" && HOSTED.test(tool["type"]));

function isRunner(c: HttpContext): boolean {
  if (ORIGINATORS.test(c.req.header("originator")?.trim() ?? "")) return true;
  const products = (c.req.header("user-agent") ?? "").slice(0, LONGEST_AGENT).split(/[\s()]+/);
  return products.some((product) => RUNNERS.some((runner) => runner.test(product)));
}

const LONGEST_AGENT = 1000;
