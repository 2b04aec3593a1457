import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { defined } from "../../shared/json/defined.ts";
import { later } from "../../shared/memo/later.ts";
import { secretsInTree } from "./secrets.ts";
import { withVariables } from "./variables.ts";
import type { McpServer } from "../../providers/mcp/index.ts";

const seconds = () => z.number().gt(0).max(86_400);
const names = () => z.array(z.string());
/** Makes the schema of a text; people may write it without quotes, so that YAML reads a number or a boolean. */
const word = () => z.union([z.string(), z.number(), z.boolean()]).transform(String);
const words = () => z.record(z.string(), word());
const transport = () =>
  z.enum(["stdio", "http", "sse", "streamable-http", "streamable_http"], {
    error: "It is stdio, http or sse",
  });

const common = () => ({
  enabled: z.boolean().optional(),
  timeout: seconds().optional(),
  connect_timeout: seconds().optional(),
  sampling: z.union([z.boolean(), z.looseObject({ enabled: z.boolean().optional() })]).optional(),
  tools: z
    .looseObject({
      include: names().optional(),
      exclude: names().optional(),
      resources: z.boolean().optional(),
      prompts: z.boolean().optional(),
    })
    .optional(),
});

const serverBlock = () =>
  z
    .looseObject({
      command: z.string().min(1).optional(),
      args: z.array(word()).optional(),
      env: words().optional(),
      cwd: z.string().optional(),
      sandbox: z.boolean().optional(),
      url: z.string().min(1).optional(),
      transport: transport().optional(),
      // As other programs call the same.
      type: transport().optional(),
      headers: words().optional(),
      oauth: z
        .looseObject({
          client_id: z.string().min(1).optional(),
          client_secret: z.string().min(1).optional(),
          scope: z.string().min(1).optional(),
          callback_port: z.int().min(1).max(65_535).optional(),
        })
        .optional(),
      ...common(),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
      error: "A server has either a `command` that starts it, or the `url` where it is",
    });

const serverName = () =>
  z
    .string()
    .regex(/^[^\p{Cc}]{1,64}$/u, { error: "A server's name has 1 to 64 characters, none of them a control" });

/** `mcp_servers` of `config.yaml`. Unknown keys are left alone. */
export const mcpServersBlock = later(() => z.record(serverName(), serverBlock()));

type ServerBlock = z.output<ReturnType<typeof serverBlock>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The configured servers, with the variables that their settings name. A mistake in one server does not touch the others. */
export function configuredMcpServers(
  block: z.output<ReturnType<typeof mcpServersBlock>> | undefined,
  env: Environment,
): readonly McpServer[] {
  return Object.entries(block ?? {}).map(([server, settings]) => mcpServer(server, settings, env));
}

function mcpServer(name: string, block: ServerBlock, env: Environment): McpServer {
  const problems: string[] = [];
  const missing = new Set<string>();
  const fill = (key: string, text: string): string => expand(text, { key, env, problems, missing });
  const fillAll = (key: string, values: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([each, text]) => [each, fill(`${key}.${each}`, text)]));
  const { command, url } = block;
  const reach =
    command === undefined
      ? {
          type: (block.transport ?? block.type) === "sse" ? ("sse" as const) : ("http" as const),
          url: webAddress(fill("url", url ?? ""), problems),
          headers: fillAll("headers", block.headers),
          ...(block.oauth && { oauth: oauthSettings(block.oauth, fill) }),
        }
      : {
          type: "stdio" as const,
          command: atHome(fill("command", command)),
          args: (block.args ?? []).map((arg, index) => fill(`args.${index}`, arg)),
          env: fillAll("env", block.env),
          ...defined({ sandbox: block.sandbox }),
          ...folder(block.cwd === undefined ? undefined : atHome(fill("cwd", block.cwd)), problems),
        };
  const [problem] = problems;
  return {
    ...reach,
    name,
    ...more(block),
    ...defined({ problem }),
    ...(missing.size === 0 ? {} : { missing: [...missing] }),
  };
}

function oauthSettings(
  { client_id, client_secret, scope, callback_port }: NonNullable<ServerBlock["oauth"]>,
  fill: (key: string, text: string) => string,
) {
  return defined({
    clientId: client_id && fill("oauth.client_id", client_id),
    clientSecret: client_secret && fill("oauth.client_secret", client_secret),
    scope,
    callbackPort: callback_port,
  });
}

/** The settings that both kinds of servers have. */
function more({ enabled, timeout, connect_timeout, sampling, tools = {} }: ServerBlock) {
  const { include, exclude, resources, prompts } = tools;
  const samples = typeof sampling === "object" ? (sampling.enabled ?? true) : sampling;
  return defined({
    disabled: enabled === false ? true : undefined,
    callMs: timeout && 1000 * timeout,
    connectMs: connect_timeout && 1000 * connect_timeout,
    sampling: samples,
    include,
    exclude,
    resources,
    prompts,
  });
}

interface Expansion {
  readonly key: string;
  readonly env: Environment;
  readonly problems: string[];
  readonly missing: Set<string>;
}

/** Puts variables in their places, and notes those that are not set. */
function expand(text: string, { key, env, problems, missing }: Expansion): string {
  return withVariables(text, env, (variable) => {
    missing.add(variable);
    problems.push(
      `its setting ${key} names \${${variable}}, which is set neither in .env nor in the environment`,
    );
  });
}

const atHome = (path: string): string => path.replace(/^~(?=\/)/, () => homedir());

function folder(cwd: string | undefined, problems: string[]): { readonly cwd?: string } {
  if (cwd === undefined) return {};
  if (!isAbsolute(cwd)) problems.push("its setting cwd is no absolute path");
  return { cwd };
}

function webAddress(url: string, problems: string[]): string {
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== "http:" && protocol !== "https:")
    problems.push("its setting url is no http or https address");
  return url;
}

/** Values in servers' settings that must not be shown. */
export function mcpSecrets(servers: readonly McpServer[]): readonly string[] {
  return servers.flatMap((server) =>
    server.type === "stdio"
      ? secretsInTree([server.env, server.args])
      : secretsInTree([server.headers, server.url, { client_secret: server.oauth?.clientSecret }]),
  );
}
