/** A value that an option of a session can have. */
export interface OptionChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** Something that can be chosen for a session. */
export interface SessionOption {
  readonly id: "mode" | "model" | "reasoning";
  readonly name: string;
  readonly description: string;
  readonly category: "mode" | "model" | "thought_level";
  readonly current: string;
  readonly choices: readonly OptionChoice[];
}

export interface OfferedCommand {
  readonly name: string;
  readonly description: string;
  /** What may follow it; empty when nothing. */
  readonly args: string;
}

/** How a session stands, beside its conversation: the newest word counts. */
export type StatusUpdate =
  | { readonly type: "info"; readonly title: string | null; readonly updatedAt: string }
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
