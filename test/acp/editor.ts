import type { ClientEnd } from "./client-end.ts";
import type { WireMessage } from "./outgoing.ts";
import type { Wire } from "./wire.ts";

/** The types of a version's messages. */
interface Words {
  readonly update: { readonly sessionUpdate: string };
  readonly permission: object;
}

/** An editor of a test's own, in either version of the protocol: what came to it, and how to wait for more. */
export abstract class Editor<W extends Words> implements AsyncDisposable {
  readonly updates: { readonly sessionId: string; readonly update: W["update"] }[] = [];
  readonly permissions: W["permission"][] = [];
  protected readonly end: ClientEnd;

  constructor(end: ClientEnd) {
    this.end = end;
  }

  get wire(): Wire {
    return this.end.wire;
  }

  /** Everything that came, in order. */
  get messages(): readonly WireMessage[] {
    return this.end.messages;
  }

  /** The updates of one kind that came for a session. */
  of<K extends W["update"]["sessionUpdate"]>(
    sessionId: string,
    kind: K,
  ): readonly Extract<W["update"], { sessionUpdate: K }>[] {
    return this.updates.flatMap(({ sessionId: id, update }) =>
      id === sessionId && isOf<W["update"], K>(update, kind) ? [update] : [],
    );
  }

  /** The text of the agent in a session. */
  said(sessionId: string): string {
    return this.updates
      .flatMap(({ sessionId: id, update }) =>
        id === sessionId && update.sessionUpdate === "agent_message_chunk" ? [textOf(update)] : [],
      )
      .join("");
  }

  /** Waits until something holds that an update or a request brings about. */
  until(holds: () => boolean): Promise<void> {
    return this.end.until(holds);
  }

  /** Closes the connection. */
  protected abstract leave(): void;

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave();
    await this.end.close();
  }

  protected updated(update: { readonly sessionId: string; readonly update: W["update"] }): void {
    this.updates.push(update);
    this.end.look();
  }

  protected asked(permission: W["permission"]): void {
    this.permissions.push(permission);
    this.end.look();
  }
}

function isOf<U extends Words["update"], K extends U["sessionUpdate"]>(
  update: U,
  kind: K,
): update is Extract<U, { sessionUpdate: K }> {
  return update.sessionUpdate === kind;
}

function textOf(update: object): string {
  const { content } = update as { readonly content?: { readonly text?: unknown } };
  return typeof content?.text === "string" ? content.text : "";
}
