import { isJsonObject } from "../../shared/json/json.ts";
import type { Incoming } from "../port/incoming.ts";
import type { SlackApi } from "./api.ts";

const MOST_NAMES = 2000;
/** Slack waits three seconds for the acknowledgement of what a name is looked up for. */
export const NAME_PATIENCE_MS = 1500;

/** The names of people, which events do not tell: https://docs.slack.dev/reference/methods/users.info */
export class People {
  readonly #api: SlackApi;
  readonly #names = new Map<string, Promise<string>>();

  constructor(api: SlackApi) {
    this.#api = api;
  }

  /** The events with names, where they are shown; who has no name that can be had keeps the id. */
  async named(events: readonly Incoming[], signal: AbortSignal): Promise<readonly Incoming[]> {
    return await Promise.all(
      events.map(async (event) => {
        const { from, place } = event;
        const isShown =
          event.type === "message" &&
          from.name === from.id &&
          (event.addressed || place.threadId !== event.messageId);
        return isShown ? { ...event, from: { ...from, name: await this.#nameOf(from.id, signal) } } : event;
      }),
    );
  }

  #nameOf(id: string, signal: AbortSignal): Promise<string> {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    if (this.#names.size >= MOST_NAMES) this.#names.clear();
    const name = this.#look(id, signal).catch(() => {
      this.#names.delete(id);
      return id;
    });
    this.#names.set(id, name);
    return name;
  }

  async #look(id: string, signal: AbortSignal): Promise<string> {
    const { user } = await this.#api.call(
      "users.info",
      { user: id },
      { signal, timeoutMs: NAME_PATIENCE_MS },
    );
    const { profile, real_name: real, name } = isJsonObject(user) ? user : {};
    const shown = isJsonObject(profile) ? profile["display_name"] : "";
    const found = [shown, real, name].find((each) => typeof each === "string" && each !== "");
    return typeof found === "string" ? found : id;
  }
}
