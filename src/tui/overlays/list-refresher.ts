import type { Client } from "../client.ts";
import type { SubagentView, Queued } from "../state/view-state.ts";
import { openAgents, queueItems } from "./beside.ts";
import { fillList } from "./open.ts";

/** Milliseconds between two looks at what subagents do. */
const EVERY_MS = 500;

/** A refresher that keeps an open list up to date. */
export class ListRefresher {
  readonly #client: Client;
  #subagents: readonly SubagentView[] = [];
  #queue: readonly Queued[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Called after each change. */
  look(): void {
    const { overlay, view } = this.#client.store.state;
    const list = overlay?.kind === "list" ? overlay.list : undefined;
    const { subagents, queue } = view;
    if (list === "agents" && subagents !== this.#subagents) this.#askLater();
    this.#subagents = subagents;
    if (queue === this.#queue) return;
    this.#queue = queue;
    if (list === "queue" && !this.#client.controller.isReordering)
      fillList(this.#client, "queue", queueItems(queue));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #askLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const { overlay } = this.#client.store.state;
      if (overlay?.kind === "list" && overlay.list === "agents")
        this.#client.controller.run(openAgents(this.#client));
    }, EVERY_MS);
  }
}
