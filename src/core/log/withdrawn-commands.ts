import { HostError } from "../../shared/errors/host-error.ts";
import type { AppendPlan, PendingAppend } from "./append-plan.ts";

/** An append was refused: who had sent some of the commands that it was to carry out had taken them back. */
export class CommandsWithdrawnError extends HostError {
  readonly #commands: readonly string[];

  constructor(commands: readonly string[]) {
    super("interrupted", "Who asked for it waits no longer, and was told that it is not done.");
    this.#commands = commands;
  }

  /** Rejects what was taken back, and gives the rest of an append: it is decided again. */
  rest({ decided }: AppendPlan): readonly PendingAppend[] {
    const isWithdrawn = ({ commandId }: PendingAppend): boolean =>
      commandId !== undefined && this.#commands.includes(commandId);
    const rest: PendingAppend[] = [];
    for (const { pending } of decided)
      if (isWithdrawn(pending)) pending.reject(this);
      else rest.push(pending);
    return rest;
  }
}

/** Tells those who wait for an append that it is committed, but those whose commands, without a row, were taken back. */
export function settleDecided({ decided }: AppendPlan, withdrawn: readonly string[] = []): void {
  for (const { pending, value } of decided) {
    const { commandId } = pending;
    if (commandId !== undefined && withdrawn.includes(commandId))
      pending.reject(new CommandsWithdrawnError(withdrawn));
    else pending.resolve(value);
  }
}
