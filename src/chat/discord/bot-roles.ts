import { z } from "zod";
import type { Clock } from "../../shared/async/clock.ts";
import type { DiscordApi } from "./api.ts";
import { askPatiently } from "../port/patience.ts";

/** The roles of a server: https://docs.discord.com/developers/topics/permissions#role-object */
const RolesWire = z.array(
  z.object({ id: z.string(), tags: z.object({ bot_id: z.string().optional() }).optional() }),
);

/**
 * The roles that servers have made for the bot, one each. Such a role has the bot's name, and people who mean the bot choose
 * it as often as the bot itself.
 */
export class BotRoles {
  readonly #api: DiscordApi;
  readonly #clock: Clock;
  readonly #botId: string;
  readonly #asked = new Set<string>();
  readonly #roles = new Set<string>();

  constructor(api: DiscordApi, { clock, botId }: { readonly clock: Clock; readonly botId: string }) {
    this.#api = api;
    this.#clock = clock;
    this.#botId = botId;
  }

  /** Those that are known. */
  get known(): ReadonlySet<string> {
    return this.#roles;
  }

  /** Learns the bot's role in a server, where that was not asked yet. @throws HostError when the platform cannot be asked now */
  async learn(guildId: string, signal: AbortSignal): Promise<void> {
    if (this.#asked.has(guildId)) return;
    const path = `/guilds/${guildId}/roles`;
    const found = await askPatiently(this.#clock, signal, () => this.#api.call("GET", { path, signal }));
    const own = RolesWire.safeParse(found).data?.find(({ tags }) => tags?.bot_id === this.#botId);
    if (own !== undefined) this.#roles.add(own.id);
    this.#asked.add(guildId);
  }
}
