import { statSync } from "node:fs";
import type { Policy } from "../../core/index.ts";
import { canonicalJson, isJsonObject } from "../../shared/json/json.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { redactorOf } from "../../shared/text/redact.ts";
import { SharpImageFitter } from "../../providers/images/index.ts";
import {
  type ConfiguredModels,
  configuredModels,
  LearnedFacts,
  type LearnedLimit,
  type LimitsObserver,
  RateLimiters,
  type ServedContext,
  SMALLEST_CONTEXT,
} from "../../providers/models/index.ts";
import { addToConfigList, type ConfigChanges } from "./config-file.ts";
import { readEnvFile, setEnvValue } from "./env-file.ts";
import type { HomeTexts } from "./home-texts.ts";
import { type HomePaths, makeHome } from "./home.ts";
import { mcpSecrets, configuredMcpServers } from "./mcp-servers.ts";
import { type HomeSecrets, homeSecrets } from "./home-secrets.ts";
import { secretValues } from "./secrets.ts";
import { changeConfig, loadSettings, type AppSettings, configValueAt } from "./settings.ts";
import { listOf } from "./web-origins.ts";
import { refusalFile } from "./refusal-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Rules of approvals: what never asks, and what never runs. */
type Rules = Pick<Policy["approvals"], "allowed" | "denied">;

/** The environment and folder of the start of the process; they win over every file. */
interface ProcessStart {
  readonly environment: Environment;
  readonly cwd: string;
  /** Overrides of the command line. */
  readonly set?: readonly string[];
  readonly clock: Clock;
  readonly platform: string;
  /** Texts of the home that may hold secrets; its files by default. */
  readonly texts?: HomeTexts;
}

/**
 * The settings of a process that stays: changed here or in their files, they take effect without a restart. What runs
 * already goes on with what it began with.
 */
export class LiveSettings implements AsyncDisposable {
  readonly #start: ProcessStart;
  /** The limits that endpoints have told outlive a change of settings. */
  readonly #rateLimiters: RateLimiters;
  readonly #images = new SharpImageFitter();
  readonly #learned: LearnedFacts;
  /** The environment as tools and models see it: one object, whose values change. */
  readonly env: Record<string, string | undefined>;
  /** Variables that commands may see beside the usual ones: one list, whose entries change. */
  readonly commandVariables: string[] = [];
  /** What the person gave for this process alone. */
  readonly #given: { readonly env: Record<string, string>; readonly shown: Set<string> } = {
    env: {},
    shown: new Set(),
  };
  #settings: AppSettings;
  #models: ConfiguredModels;
  readonly #retired: ConfiguredModels[] = [];
  #secrets: readonly string[];
  readonly #homeSecrets: HomeSecrets;
  #mtime: number;
  #bypass = false;
  /** Rules of approvals that hold in this process alone. */
  #ownRules: Rules = { allowed: [], denied: [] };
  readonly #listeners = new Set<() => void>();

  /** @param settings - as `loadSettings` read them from the same environment */
  constructor(settings: AppSettings, start: ProcessStart) {
    this.#start = start;
    this.#rateLimiters = new RateLimiters(start.clock);
    this.#learned = new LearnedFacts(refusalFile(settings.paths.home, start.clock));
    this.#settings = settings;
    this.env = { ...settings.env };
    this.#mtime = modifiedAt(settings.paths.config);
    this.#models = this.#makeModels(settings);
    this.#secrets = this.#secretsIn(settings);
    this.#listCommandVariables();
    this.#homeSecrets = homeSecrets(settings.paths.home, start);
  }

  get current(): AppSettings {
    return this.#settings;
  }

  /** Values that must not appear in any log or answer. */
  get secrets(): readonly string[] {
    return [...this.#secrets, ...this.#homeSecrets()];
  }

  /** Hides the secrets of the settings as they are now. */
  readonly redactor = redactorOf(() => this.secrets);

  get policy(): Policy {
    const { policy } = this.#settings;
    const { approvals } = policy;
    const { allowed, denied } = this.#ownRules;
    if (!this.#bypass && allowed.length + denied.length === 0) return policy;
    return {
      ...policy,
      approvals: {
        ...approvals,
        mode: this.#bypass ? "off" : approvals.mode,
        allowed: [...approvals.allowed, ...allowed],
        denied: [...approvals.denied, ...denied],
      },
    };
  }

  /** The limit of a model endpoint's host, as this process has learnt it. */
  readonly limitOf = (host: string): LearnedLimit | undefined => this.#rateLimiters.limitOf(host);

  /** Tells somebody of the limits of model endpoints as this process learns them. */
  observeLimits(observer: LimitsObserver): void {
    this.#rateLimiters.observe(observer);
  }

  get models(): ConfiguredModels {
    return this.#models;
  }

  /** Calls back whenever settings were read again, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** While it is on, nothing in this process asks for an approval. */
  bypassApprovals(on: boolean): void {
    this.#bypass = on;
  }

  /** Lets rules of approvals hold until this process ends, beside those of the configuration. */
  ruleHere(rules: Rules): void {
    this.#ownRules = rules;
  }

  /**
   * Reads the file again when it has changed. Gives the Unix milliseconds of its newest change, 0 without a file.
   *
   * @throws HostError `config_invalid`; then what held before holds on
   */
  async refresh(): Promise<number> {
    const mtime = modifiedAt(this.#settings.paths.config);
    if (mtime !== this.#mtime) {
      await this.#reload();
      this.#mtime = mtime;
    }
    return mtime;
  }

  /** Sets values in the file and lets them take effect. @throws HostError `config_invalid`; then nothing was changed */
  change(changes: ConfigChanges): Promise<void> {
    return this.#write((paths) => changeConfig(paths, changes));
  }

  /** Allows patterns for ever. @throws HostError `config_invalid` */
  rememberPatterns(patterns: readonly string[]): Promise<void> {
    return this.addRules("allowed", patterns);
  }

  /** Keeps rules of approvals. @throws HostError `config_invalid` */
  addRules(list: "allowed" | "denied", rules: readonly string[]): Promise<void> {
    const hosts = list === "allowed" ? rules.filter(isHostRule) : [];
    const others = rules.filter((rule) => !hosts.includes(rule));
    return this.#write(async ({ config }) => {
      const entries = hosts.map((rule) => rule.slice(HOST_RULE.length));
      if (entries.length > 0) await addToConfigList(config, ["sandbox", "hosts"], entries);
      if (others.length > 0) await addToConfigList(config, ["approvals", list], others);
    });
  }

  /**
   * Sets a variable, in `.env` or until this process ends.
   *
   * @throws HostError `config_invalid` for a value that `.env` cannot hold
   */
  async setVariable(name: string, value: string, { always }: { readonly always: boolean }): Promise<void> {
    if (always) {
      makeHome(this.#settings.paths);
      await setEnvValue(this.#settings.paths.env, name, value);
    } else this.#given.env[name] = value;
    await this.reloadEnvironment();
  }

  /** Lets commands see a variable, by the configuration or until this process ends. @throws HostError `config_invalid` */
  async showToCommands(name: string, { always }: { readonly always: boolean }): Promise<void> {
    this.#given.shown.add(name);
    this.#listCommandVariables();
    if (always) await this.#write(({ config }) => addToConfigList(config, ["terminal", "variables"], [name]));
  }

  /** Reads `.env` again; gives the number of variables that are new, gone, or have another value. */
  async reloadEnvironment(): Promise<number> {
    const now: Environment = { ...readEnvFile(this.#settings.paths.env), ...this.#environment() };
    const names = new Set([...Object.keys(this.env), ...Object.keys(now)]);
    const changed = [...names].filter((name) => this.env[name] !== now[name]);
    for (const name of changed) {
      if (now[name] === undefined) delete this.env[name];
      else this.env[name] = now[name];
    }
    if (changed.length > 0) await this.#reload(true);
    return changed.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const models of [...this.#retired, this.#models]) await models[Symbol.asyncDispose]();
  }

  /** Lets what is written into the file take effect. */
  async #write(write: (paths: HomePaths) => Promise<void>): Promise<void> {
    const { paths } = this.#settings;
    makeHome(paths);
    await write(paths);
    await this.#reload();
    this.#mtime = modifiedAt(paths.config);
  }

  /** @param anew - the models have to be made anew even when their configuration is the same */
  async #reload(anew = false): Promise<void> {
    const settings = await loadSettings(this.#environment(), this.#start.cwd, this.#start.set);
    if (anew || canonicalJson(settings.config["model"]) !== canonicalJson(this.#settings.config["model"])) {
      const models = this.#makeModels(settings);
      // Turns that run hold models of before; their connections are closed at the end.
      this.#retired.push(this.#models);
      this.#models = models;
    }
    this.#settings = settings;
    this.#secrets = this.#secretsIn(settings);
    this.#listCommandVariables();
    for (const listener of this.#listeners) listener();
  }

  /** What the person gave counts like what the process was started with. */
  #environment(): Environment {
    return { ...this.#start.environment, ...this.#given.env };
  }

  #listCommandVariables(): void {
    const { terminal } = this.#settings.config;
    const { variables } = isJsonObject(terminal) ? terminal : {};
    const names = new Set([...listOf(variables), ...this.#given.shown]);
    this.commandVariables.splice(0, Infinity, ...names);
  }

  #secretsIn({ config, blocks, store, cluster }: AppSettings): readonly string[] {
    const known = secretValues(this.env, [config, store, cluster]);
    const given = Object.values(this.#given.env);
    return [...known, ...given, ...mcpSecrets(configuredMcpServers(blocks.mcp_servers, this.env))];
  }

  #makeModels({ models }: AppSettings): ConfiguredModels {
    const { clock, platform } = this.#start;
    const shared = { rateLimiters: this.#rateLimiters, images: this.#images, learned: this.#learned };
    const keepContext = (found: ServedContext): void => void this.#keepContext(found);
    return configuredModels(models, { env: this.env, clock, platform, keepContext, ...shared });
  }

  /** Writes down how much context a model is served with: other processes and commands then know it too. */
  async #keepContext({ provider, model, contextLength }: ServedContext): Promise<void> {
    // What is overridden is another model than the file's.
    if (this.#start.set?.some((each) => each.trim().startsWith("model"))) return;
    const { models, paths } = this.#settings;
    const isMain = provider === (models.provider ?? "local");
    const entry = isMain ? models : models.providers?.get(provider);
    const block = this.#settings.config["model"];
    const own = isMain ? block : configValueAt(block, ["providers", provider]);
    if (
      entry === undefined ||
      contextLength < SMALLEST_CONTEXT ||
      Array.isArray(configValueAt(own, ["models"]))
    )
      return;
    const place = isMain ? ["model"] : ["model", "providers", provider];
    try {
      await changeConfig(paths, [[[...place, "models", model, "context_length"], contextLength]]);
    } catch {
      // A file that cannot be written stays as it is; the endpoint is asked again at the next start.
    }
  }
}

/** Rules for hosts that commands in the sandbox may reach are the list that it has of them. */
const HOST_RULE = "reach:";
const isHostRule = (rule: string): boolean => rule.startsWith(HOST_RULE);

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
