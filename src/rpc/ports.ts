import type { DiffContent, ExtraCommands } from "../core/index.ts";
import type { ConnectorWire } from "./protocol/connectors.ts";
import type { SkillInfo, SkillWire } from "./protocol/skills.ts";
import type { McpServerWire } from "./protocol/session-info.ts";
import type { ProcessWire, SpawnTree, SpawnTreeEntry } from "./protocol/processes.ts";
import type { SetupKinds } from "./protocol/setup.ts";

export type { ProcessWire };

/** The owner's configuration, in the words of its file. */
export interface ConfigPort {
  /** As it was last read. */
  values(): Readonly<Record<string, unknown>>;
  /** Reads it again when the file has changed. Gives the Unix milliseconds of its newest change, 0 without a file. */
  refresh(): Promise<number>;
  /**
   * Sets values, keeps everything else, and lets them take effect in this process. `undefined` removes a key.
   *
   * @throws HostError `config_invalid` when a value is not one that the key takes
   */
  change(changes: readonly (readonly [keys: readonly string[], value: unknown])[]): Promise<void>;
  /** Hides values that are secret, by the names of their keys and by what is known. */
  mask(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** While it is on, nothing in this process asks for an approval. It ends with the process. */
  bypassApprovals(on: boolean): void;
}

/** The variables that keys and addresses are read from. */
export interface EnvironmentPort {
  /** Reads the environment file again; gives the number of variables that are new or have another value. */
  reload(): Promise<number>;
}

/** A picture that was read. */
export interface ImageFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** The beginning of a text that was read. */
export interface TextFile {
  readonly text: string;
  /** Bytes of the whole file, when there is more. */
  readonly whole?: number;
  /** By its name it may hold secrets. */
  readonly sensitive?: true;
}

/** A name in a folder. */
export interface DirectoryEntry {
  readonly name: string;
  readonly directory: boolean;
}

/** Files of the machine, as the person at the client may name them. */
export interface FilePort {
  /** Looks at a path; `~` and relative ones start at home and `cwd`. `undefined` when there is nothing. */
  look(
    path: string,
    cwd: string,
  ): Promise<{ readonly path: string; readonly kind: "file" | "directory" } | undefined>;
  /** @throws HostError `not_found`, `unsupported_content_type` when it is no image, `limit_exceeded` over 25 MB */
  readImage(path: string): Promise<ImageFile>;
  /** The beginning of a text file, at most so many characters; `undefined` when it is no text or cannot be read. */
  readText(path: string, most: number): Promise<TextFile | undefined>;
  /** At most a few thousand; empty when it cannot be read. */
  list(directory: string): Promise<readonly DirectoryEntry[]>;
  /** Paths below a folder relative to it, folders with a slash at the end, ignored ones left out; at most 100,000. */
  walk(directory: string): Promise<readonly string[]>;
  /** The branch of the repository that a folder belongs to; empty when there is none. */
  branch(directory: string): Promise<string>;
}

/** The exit code of a command, and the end of its output. */
export interface CommandOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Its id in the background, where it goes on. */
  readonly background?: string;
}

/** The owner's trust in folders: that of an untrusted one, files for agents are not read. */
export interface TrustPort {
  /** The files of a workspace that are left out, and the folder that a decision would be about; `undefined` for none. */
  leftOut(cwd: string):
    | {
        readonly folder: string;
        readonly files: readonly string[];
        /** The owner has said that it is not trusted. */
        readonly decided: boolean;
      }
    | undefined;
  /** @throws HostError `not_found` when there is no such folder, `config_invalid` */
  decide(folder: string, trusted: boolean): Promise<void>;
}

/** The place where the commands of sessions run. */
export interface SandboxPort {
  /** What is known of a session's place; `undefined` before its first turn. Quick: it may be asked for each event. */
  known(
    sessionId: string,
  ): { readonly commands: "inside" | "outside" | "refused"; readonly why: string } | undefined;
}

/** Other programs. */
export interface CommandPort {
  /** @throws HostError `outside_workspace` for a command that never runs, `timeout`, `tool_failed` */
  shell(command: string, options: ShellOptions): Promise<CommandOutput>;
  /** Runs this program with arguments. @throws HostError `timeout`, `tool_failed` */
  agent(argv: readonly string[], options: CommandOptions): Promise<CommandOutput>;
  /** The image in the clipboard, when there is one. @throws HostError `tool_failed` when it cannot be read at all */
  clipboardImage(signal: AbortSignal): Promise<ImageFile | undefined>;
  /** Ends background processes, of a session or all; gives their number. */
  stopProcesses(sessionId?: string): Promise<number>;
}

/** The options of a command: its folder, and its time. */
export interface CommandOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Characters of each output that are kept: the last ones. */
  readonly keep: number;
  readonly signal: AbortSignal;
}

/** The options of a person's command: it may take as long as it likes, and tell its output as it comes. */
export interface ShellOptions extends Omit<CommandOptions, "timeoutMs"> {
  readonly timeoutMs?: number;
  /** Told of both outputs, in the order in which they come. */
  readonly onOutput?: (text: string) => void;
  /** The session in whose background it can go on, and the name under which it is asked to. */
  readonly front?: { readonly session: string; readonly key: string };
}

/** Commands in the background of sessions, in this process. */
export interface ProcessPort {
  list(session: string): readonly ProcessWire[];
  /**
   * Lets what somebody waits for go on in the background.
   *
   * @param until - waits for the one of the key, when it is not there yet, until this aborts
   * @throws HostError `limit_exceeded`
   */
  toBackground(session: string, key?: string, until?: AbortSignal): Promise<readonly ProcessWire[]>;
  /** The end of what it printed; `undefined` when there is no such process. */
  output(session: string, id: string): string | undefined;
  /** `false` when it is over already; `undefined` when there is no such process. */
  end(session: string, id: string): Promise<boolean | undefined>;
}

/** The files of the home that the gateway keeps for its clients. */
export interface ArchivePort {
  /** Keeps a paste; gives its absolute path. */
  savePaste(text: string): Promise<string>;
  /** A paste that was kept; `undefined` for any other path. */
  loadPaste(path: string): Promise<string | undefined>;
  /** Keeps an image that has no file of its own; gives its absolute path. */
  saveImage(bytes: Uint8Array, name: string): Promise<string>;
  saveConversation(sessionId: string, content: string): Promise<string>;
  saveTree(tree: SpawnTree): Promise<string>;
  listTrees(query: {
    readonly sessionId: string | undefined;
    readonly limit: number;
  }): Promise<readonly SpawnTreeEntry[]>;
  /** @throws HostError `outside_workspace` for a path that is none of them, `not_found` */
  loadTree(path: string): Promise<SpawnTree>;
}

/** The tools of MCP servers. */
export interface McpPort {
  servers(): readonly McpServerWire[];
  /** Connects them anew and waits for them, but not for long. @throws HostError `config_invalid` */
  reload(signal: AbortSignal): Promise<void>;
  /** Calls back when a server's state, or what one offers, has changed; until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** The skills of the home, and of a folder's workspace. */
export interface SkillPort {
  /** Names of those that are on, by category. Quick: it may be asked for each event. */
  list(cwd: string): Readonly<Record<string, readonly string[]>>;
  /** The problems of files of skills; empty when there are none. Quick too. */
  warning(cwd: string): string;
  /** All of them as they are now, those that are off too. */
  load(cwd: string): Promise<{ readonly skills: readonly SkillWire[]; readonly warnings: readonly string[] }>;
  /** @throws HostError `not_found` */
  inspect(name: string, cwd: string): Promise<SkillInfo>;
  /** Switches one on or off, for good. Gives its name. @throws HostError `not_found`, `config_invalid` */
  turn(name: string, to: { readonly cwd: string; readonly on: boolean }): Promise<string>;
}

/** The wishes for the model's configuration. */
export interface SetupRequest extends SetupKinds {
  readonly baseUrl?: string;
  readonly key?: string;
  readonly keyEnv?: string;
  readonly keyless: boolean;
  readonly scope?: string;
  /** Tokens. */
  readonly contextLength?: number;
}

interface ServedModel {
  readonly id: string;
  /** Tokens. */
  readonly contextLength?: number;
}

/** A place where a model may be, and what is to be asked for it; the protocol's `SetupPlace`. */
interface SetupPlaceInfo {
  readonly label: string;
  readonly detail: string;
  readonly provider?: SetupKinds["provider"];
  readonly baseUrl?: string;
  readonly asksAddress: boolean;
  readonly usualAddress?: string;
  readonly key: "needed" | "optional" | "known" | "none";
  readonly keyVariable?: string;
  readonly page?: string;
  readonly keyless: boolean;
}

/** Choosing the model that the host talks to. */
export interface SetupPort {
  localServers(signal: AbortSignal): Promise<
    readonly {
      readonly kind?: SetupKinds["provider"];
      readonly baseUrl: string;
      readonly models: readonly ServedModel[];
    }[]
  >;
  /** The places where a model may be, in the order of a menu. */
  places(signal: AbortSignal): Promise<readonly SetupPlaceInfo[]>;
  /** `apiMode` is absent when the address did not say what it speaks. @throws HostError `config_invalid` */
  detect(wish: SetupRequest): Promise<{
    readonly apiMode?: string;
    /** As it is to be saved. */
    readonly baseUrl?: string;
    readonly models: readonly ServedModel[];
  }>;
  /** @throws HostError `config_invalid` for a choice that no configuration can hold */
  save(
    wish: SetupRequest & { readonly model: string },
    options: { readonly check: boolean; readonly anyway: boolean },
  ): Promise<{
    readonly saved: boolean;
    readonly provider: string;
    readonly model: string;
    readonly checks: readonly {
      readonly name: string;
      readonly ok: boolean;
      readonly text: string;
      readonly field?: "address" | "key" | "model";
    }[];
    readonly note?: string;
  }>;
}

/** The facts of the program around a gateway. */
export interface About {
  readonly version: string;
  readonly profile: string;
  readonly home: string;
  /** Another one means another store: cursors and ids of before mean nothing. */
  readonly epoch: string;
}

/** The services outside the gateway. A port that is left out is empty: no servers, no skills. */
export interface GatewayPorts {
  readonly about: About;
  /** The folder of new sessions whose client names none. Absolute. */
  readonly sessionFolder: () => string;
  readonly config: ConfigPort;
  readonly environment: EnvironmentPort;
  readonly files: FilePort;
  readonly commands: CommandPort;
  readonly processes: ProcessPort;
  readonly archive: ArchivePort;
  /** A change as a unified diff; cut after so many lines, some hundred by default. */
  readonly diff: (change: DiffContent, most?: number) => string;
  /** Slash commands that come and go, beside the built-in ones. */
  readonly moreCommands?: ExtraCommands;
  readonly mcp?: McpPort;
  readonly skills?: SkillPort;
  readonly setup?: SetupPort;
  readonly trust?: TrustPort;
  readonly sandbox?: SandboxPort;
  readonly connectors?: ConnectorPort;
}

/** The chat platforms of the home. */
export interface ConnectorPort {
  /** All of them, those that are switched off too. @throws HostError `config_invalid` */
  list(): Promise<readonly ConnectorWire[]>;
}
