/** What the client at the other end can do, whichever version of the protocol it speaks. */
export interface ClientCapabilities {
  /** As it calls itself; empty when it does not say. */
  readonly name: string;
  /** It can read, and save, files as its editor has them. */
  readonly readFile: boolean;
  readonly writeFile: boolean;
  /** It can run commands in terminals of its own. */
  readonly terminal: boolean;
  /** It shows a terminal that is fed with pieces of output. */
  readonly terminalOutput: boolean;
  /** It can run this program in a terminal, for a login. */
  readonly terminalLogin: boolean;
  /** It can show a form. */
  readonly form: boolean;
  readonly notices: boolean;
  readonly compaction: boolean;
  /** It shows several permission options of one kind side by side. */
  readonly manyOptions: boolean;
}

/** Clients that were seen to show every option of a permission; others key them by kind and would hide some. */
export const showsOptionsOfOneKind = (name: string): boolean => /^(zed|acpx)\b/i.test(name);
