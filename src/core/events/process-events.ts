import type { ProcessEnd } from "../../shared/text/process-words.ts";

/** A command in the background, as the log knows it. */
export interface StartedProcess {
  readonly processId: string;
  readonly command: string;
  /** The host that runs it: when that one is gone, the command is. */
  readonly hostId: string;
}

/** The end of a command in the background. */
export interface EndedProcess extends ProcessEnd {
  readonly processId: string;
  readonly command: string;
  /** A call of the model saw the end: nobody has to tell it. */
  readonly heard?: true;
}
