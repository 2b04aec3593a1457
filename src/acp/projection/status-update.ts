/** A value that an option of a session can have. */
export interface OptionChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** An option of a session, with its choices. */
export interface SessionOption {
  readonly id: "mode" | "model" | "reasoning" | "persona";
  readonly name: string;
  readonly description: string;
  readonly category: "mode" | "model" | "thought_level" | "_persona";
  readonly current: string;
  readonly choices: readonly OptionChoice[];
}

/** A slash command that a client can offer. */
export interface OfferedCommand {
  readonly name: string;
  readonly description: string;
  /** A hint at its arguments; empty when it takes none. */
  readonly args: string;
}

/** An update of a session's status. Each one replaces the last of its type. */
export type StatusUpdate =
  | {
      readonly type: "info";
      /** `null` takes back a title that the client was told; absent when there is none. */
      readonly title?: string | null;
      readonly updatedAt: string;
    }
  | { readonly type: "options"; readonly options: readonly SessionOption[] }
  | { readonly type: "mode"; readonly mode: string }
  | {
      readonly type: "usage";
      /** Tokens in the model's context now, and how many fit. */
      readonly used: number;
      readonly size: number;
      /** US dollars of the session so far, when known. */
      readonly cost?: number;
    }
  | { readonly type: "commands"; readonly commands: readonly OfferedCommand[] };
