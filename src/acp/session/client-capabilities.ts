/** The capabilities of a client, whichever version of the protocol it speaks. */
export interface ClientCapabilities {
  /** The client's own name; empty when it gives none. */
  readonly name: string;
  /** It reads and saves files as its editor has them. */
  readonly readFile: boolean;
  readonly writeFile: boolean;
  /** It runs commands in terminals of its own. */
  readonly terminal: boolean;
  /** It displays the output of a command in pieces, as it comes. */
  readonly terminalOutput: boolean;
  /** It can run this program in a terminal, for a login. */
  readonly terminalLogin: boolean;
  readonly form: boolean;
  readonly notices: boolean;
  readonly compaction: boolean;
  /** It shows several permission options of one kind side by side. */
  readonly optionsOfOneKind: boolean;
}

/** Whether a client was seen to show every permission option; others key options by kind and would hide some. */
export const showsOptionsOfOneKind = (name: string): boolean => /^(zed|acpx)\b/i.test(name);

/** Whether a client announced a capability; an announced one is an object. */
export const isOffered = (capability: unknown): boolean => capability !== undefined && capability !== null;
