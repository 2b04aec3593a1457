import { DEFAULT_POLICY, type Policy } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { type ModelsConfig, parseModelsConfig } from "../../providers/models/index.ts";
import type { z } from "zod";
import { readConfigFile } from "./config-file.ts";
import { readEnvFile } from "./env-file.ts";
import { type HomePaths, homePaths } from "./home.ts";
import { type ConfigBlock, ConfigWire, READ_ELSEWHERE } from "./settings-schema.ts";
import { type UnknownKey, unknownKeys } from "./unknown-keys.ts";

/** Everything that is configured: `config.yaml`, then `.env`, then the environment, which wins. */
export interface AppSettings {
  readonly paths: HomePaths;
  /** The environment with what `.env` adds to it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly policy: Policy;
  readonly models: ModelsConfig;
  /** Milliseconds that running turns get when a server is told to stop. */
  readonly drainMs: number;
  readonly allowNetworkFileSystem: boolean;
  /** The file's checked blocks, for those who read them with the environment. */
  readonly blocks: ConfigBlock;
  /** The whole file as it was read, for blocks that others read. */
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * Reads all settings.
 *
 * @throws HostError `config_invalid`, naming the key, the problem and the file
 */
export async function loadSettings(
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<AppSettings> {
  const paths = homePaths(environment, cwd);
  const env = { ...readEnvFile(paths.env), ...environment };
  const { values } = await readConfigFile(paths.config);
  const block = checkConfig(values, paths.config);
  return {
    paths,
    env,
    policy: policyOf(block),
    models: parseModelsConfig(values["model"]),
    drainMs: 1000 * (block.gateway?.drain_timeout ?? 30),
    allowNetworkFileSystem: block.store?.allow_network_file_system ?? false,
    blocks: block,
    config: values,
  };
}

/**
 * Checks what a configuration says.
 *
 * @param path - the file, for the error
 * @throws HostError `config_invalid`, naming the key, the problem and the file
 */
export function checkConfig(values: Readonly<Record<string, unknown>>, path: string): ConfigBlock {
  const result = ConfigWire.safeParse(values);
  if (result.success) {
    const mistyped = unreadKeys(values).find(({ suggestion }) => suggestion !== undefined);
    if (mistyped !== undefined) throw noSetting(mistyped, path);
    return result.data;
  }
  const [issue] = result.error.issues;
  const key = issue?.path.join(".") ?? "";
  const given = valueAt(values, issue?.path ?? []);
  throw new HostError(
    "config_invalid",
    `${key} in ${path} is ${JSON.stringify(given)}: ${issue === undefined ? "not valid" : problemOf(issue)}. Correct it, or remove the key for the default.`,
    { details: { subject: key } },
  );
}

/** A setting of the wrong kind, in the words of a file; all else as the schema says it. */
function problemOf({ message, ...issue }: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `${issue.keys.join(", ")} is no key of it`;
  if (issue.code !== "invalid_type") return message;
  return `it must be ${KINDS[issue.expected] ?? issue.expected}`;
}

const KINDS: Readonly<Record<string, string>> = {
  object: "a block of settings",
  record: "a block of settings",
  array: "a list",
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

/** Keys that nothing here reads: those of other programs, or mistyped ones. */
export const unreadKeys = (values: Readonly<Record<string, unknown>>): readonly UnknownKey[] =>
  unknownKeys(values, ConfigWire, READ_ELSEWHERE);

/** Left out, a setting would be as good as not there, and nobody would know. */
const noSetting = ({ path: key, suggestion }: UnknownKey, path: string): HostError =>
  new HostError(
    "config_invalid",
    `${key} in ${path} is no setting. Did you mean ${suggestion ?? "another"}?`,
    {
      details: { subject: key },
    },
  );

function valueAt(values: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isJsonObject(value) ? value[String(key)] : value;
  }, values);
}

function policyOf(block: ConfigBlock): Policy {
  const { approvals = {}, questions = {}, limits = {}, compression = {}, retries = {}, queue = {} } = block;
  const base = DEFAULT_POLICY;
  return {
    approvals: {
      mode: approvals.mode ?? base.approvals.mode,
      allowed: approvals.allowed ?? base.approvals.allowed,
      timeoutMs: ms(approvals.timeout, base.approvals.timeoutMs),
    },
    questions: {
      clarifyMs: ms(questions.clarify_timeout, base.questions.clarifyMs),
      sudoMs: ms(questions.sudo_timeout, base.questions.sudoMs),
      secretMs: ms(questions.secret_timeout, base.questions.secretMs),
      unseenMs: ms(questions.unseen_timeout, base.questions.unseenMs),
      parkMs: ms(questions.park_timeout, base.questions.parkMs),
    },
    limits: {
      iterations: limits.iterations ?? base.limits.iterations,
      turnMs: ms(limits.turn_seconds, base.limits.turnMs),
      toolOutput: limits.tool_output ?? base.limits.toolOutput,
      replyText: limits.reply_text ?? base.limits.replyText,
      sessionTokens: limits.session_tokens ?? base.limits.sessionTokens,
      sessionCost: limits.session_cost ?? base.limits.sessionCost,
    },
    compression: {
      enabled: compression.enabled ?? base.compression.enabled,
      at: compression.at ?? base.compression.at,
    },
    retry: {
      ...base.retry,
      tries: retries.tries ?? base.retry.tries,
      longestWaitMs: ms(retries.longest_wait, base.retry.longestWaitMs),
    },
    queue: { holdMs: ms(queue.hold_after, base.queue.holdMs) },
    delegation: delegationOf(block.delegation ?? {}),
    toolsets: block.toolsets ?? {},
    autoTitle: block.sessions?.auto_title ?? base.autoTitle,
  };
}

function delegationOf(block: NonNullable<ConfigBlock["delegation"]>): Policy["delegation"] {
  const base = DEFAULT_POLICY.delegation;
  return {
    maxDepth: block.max_depth ?? base.maxDepth,
    maxChildren: block.max_children ?? base.maxChildren,
    iterations: block.max_iterations ?? base.iterations,
    timeoutMs: ms(block.timeout, base.timeoutMs),
    answer: block.answer ?? base.answer,
    ...(block.model === undefined ? {} : { model: block.model }),
  };
}

const ms = (seconds: number | undefined, otherwise: number): number =>
  seconds === undefined ? otherwise : 1000 * seconds;
