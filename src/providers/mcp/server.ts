interface ServerBase {
  readonly name: string;
  /** Its owner has switched it off. */
  readonly disabled?: boolean;
  /** Why it cannot be used at all, such as a setting that names a variable that is not there. */
  readonly problem?: string;
  /** Variables that its settings name and that are not set. */
  readonly missing?: readonly string[];
  /** The server's own names of tools that are offered; all by default. */
  readonly include?: readonly string[];
  /** Names of tools that are not offered. */
  readonly exclude?: readonly string[];
  /** Tools that list and read its resources are offered; true by default. */
  readonly resources?: boolean;
  /** Its prompts are offered as commands; true by default. */
  readonly prompts?: boolean;
  /** It may ask the session's model; false by default. */
  readonly sampling?: boolean;
  /** Milliseconds that it gets to be there. */
  readonly connectMs?: number;
  /** Milliseconds that it may be silent while it works on a call. */
  readonly callMs?: number;
}

/** The owner's settings for logging in at a server. */
export interface OAuthSettings {
  /** The program's name at the service, which has registered it by hand. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** What is asked for, in the service's own words; what the server says it needs by default. */
  readonly scope?: string;
  /** The port of this machine that the browser comes back to; any by default. */
  readonly callbackPort?: number;
}

/** A server of the Model Context Protocol, as the configuration or a client names it. */
export type McpServer =
  | (ServerBase & {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Absolute; the workspace by default. */
      readonly cwd?: string;
      /** The owner wants it in the sandbox. */
      readonly sandbox?: boolean;
    })
  | (ServerBase & {
      readonly type: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly oauth?: OAuthSettings;
    });

/** A server that is a program of this machine. */
export type ProcessServer = Extract<McpServer, { type: "stdio" }>;
/** A server that is reached over HTTP. */
export type WebServer = Exclude<McpServer, ProcessServer>;

export const CONNECT_MS = 60_000;
export const CALL_MS = 300_000;
