import type { SlashCommands, UserPart } from "../../core/index.ts";
import { errorRecord, toHostError } from "../../shared/errors/host-error.ts";
import type { PromptRequest } from "../connection/prompt-requests.ts";
import type { AttachedSession } from "./attached-session.ts";
import type { ClientContext } from "./client-peer.ts";
import { commandIn, type PromptedCommand, runPromptedCommand } from "./command-prompt.ts";
import type { PendingPrompt, PromptEnd } from "./pending-prompts.ts";
import { type PromptBlock, userParts } from "./prompt-parts.ts";

/** A prompt that was taken back before it was sent. */
const DROPPED: PendingPrompt = {
  promptId: "",
  started: Promise.resolve(false),
  ended: Promise.resolve({ outcome: "dropped" }),
};

/** Sender of one client's prompts: each becomes a turn, or is a command that runs here. */
export class Prompting {
  readonly #context: ClientContext;
  readonly #commands: SlashCommands;
  readonly #opened: (sessionId: string) => Promise<void>;

  /** @param opened - told of a session that a command leads to */
  constructor(context: ClientContext, commands: SlashCommands, opened: (sessionId: string) => Promise<void>) {
    this.#context = context;
    this.#commands = commands;
    this.#opened = opened;
  }

  /** Reads the blocks of a prompt. @throws HostError `invalid_params` naming the block that cannot be taken */
  async read({ session }: AttachedSession, blocks: readonly PromptBlock[]): Promise<readonly UserPart[]> {
    const { host, process } = this.#context;
    return await userParts(blocks, { store: host.services.store, process, folders: session.state });
  }

  /**
   * Sends a prompt, or runs the command that it is. Resolves when it is on its way.
   *
   * @param read - gives the prompt's parts; prompts are taken in the order in which they came, however long this takes
   */
  send(
    attached: AttachedSession,
    read: () => Promise<readonly UserPart[]>,
    request: PromptRequest,
  ): Promise<PendingPrompt> {
    return attached.inOrder.run(async () => {
      const parts = await read();
      if (request.signal.aborted) return DROPPED;
      const command = commandIn(parts);
      const pending =
        command === undefined
          ? attached.submit(parts, request)
          : this.#beginCommand(command, attached, { parts, request });
      // An unforeseen failure ends a prompt without an event.
      const failed = (thrown: unknown): void =>
        attached.unlogged.state("error", errorRecord(toHostError(thrown)));
      pending.started.then(
        () => void pending.ended.catch(failed),
        () => undefined,
      );
      return pending;
    });
  }

  #beginCommand(
    command: string,
    attached: AttachedSession,
    { parts, request }: { readonly parts: readonly UserPart[]; readonly request: PromptRequest },
  ): PendingPrompt {
    const { echoesPrompts } = this.#context.messages;
    const promptId = attached.unlogged.commandBegins(parts, echoesPrompts);
    // A client that is answered at the beginning learns of the end after its answer.
    const begun = echoesPrompts ? request.answered : Promise.resolve();
    const ended = begun.then(() => this.#command(attached, command, request));
    const tellEnd = ({ outcome }: PromptEnd): void => {
      if (outcome === "command") attached.unlogged.state("end_turn");
      if (outcome === "dropped") attached.unlogged.state("cancelled");
    };
    ended.then(tellEnd, () => undefined);
    return { promptId, started: Promise.resolve(true), ended };
  }

  async #command(attached: AttachedSession, text: string, request: PromptRequest): Promise<PromptEnd> {
    const { host, from, process } = this.#context;
    const { signal } = request;
    const { output, prompt, opened } = await runPromptedCommand(text, this.#commands, {
      host,
      session: attached.session,
      from,
      workspace: attached.session.state,
      signal,
      stopProcesses: (id) => process.stopProcesses(id),
    }).catch((thrown: unknown): PromptedCommand => {
      // Who stopped it is told of no error.
      if (signal.aborted) return {};
      throw thrown;
    });
    if (opened !== undefined) await this.#opened(opened);
    if (output !== undefined) attached.unlogged.message(output);
    if (prompt !== undefined) return await attached.submit(prompt, request).ended;
    return { outcome: signal.aborted ? "dropped" : "command" };
  }
}
