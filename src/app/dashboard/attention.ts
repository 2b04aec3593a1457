import { type Host, type Origin, SlashCommands, userOfBudget } from "../../core/index.ts";
import { CHAT_PLATFORMS, Inbox } from "../../chat/index.ts";
import type { AttentionItem, AttentionPort } from "../../dashboard/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { Roster } from "../../people/roster/index.ts";
import { appSignInFault } from "../people/app-sign-in-check.ts";
import { jobsApi } from "../background/jobs-api.ts";
import { connectorPages, type ConnectorPageParts } from "./connector-pages.ts";
import { missingPersonas } from "../people/persona-uses.ts";
import { wishRestart } from "../chat/restart-connector.ts";

/** What failed longer ago needs nobody any more. */
const RECENT_MS = 3 * 24 * 3_600_000;
const MOST = 50;
const GO_ON_MS = 10_000;

/** The things in a home that need somebody, for the dashboard. */
export function attention(parts: ConnectorPageParts): AttentionPort {
  const { agent, services, look } = parts;
  const { host, store } = agent;
  const { clock } = host.services;
  const jobs = jobsApi(services);
  const inbox = (platform: string): Inbox => new Inbox(store.records, clock, platform);
  return {
    async list() {
      const since = clock.now() - RECENT_MS;
      const found = await Promise.all([
        parkedSessions(host),
        connectorsDown(parts),
        failedDeliveries(parts, since),
        failedMessages(inbox, since),
        failedJobs(parts),
        appClosed(parts),
        personasMissing(agent),
      ]);
      return [...found.flat(), ...addressesOff(parts)];
    },
    async repair({ kind, id, budget }, who) {
      switch (kind) {
        case "budget":
          return await goOn(parts, id, { budget, from: { surface: "dashboard", client: who } });
        case "connector":
          await wishRestart(agent, id);
          return await look();
        case "delivery":
          return void (await services.outbox.redeliver(id));
        case "message":
          return void (await inbox(id.split("-", 1)[0] ?? "").replay(id));
        case "address":
          return void (await services.events.turn(id, true));
        case "job":
          return void (await jobs.run(id, {}));
      }
    },
  };
}

async function parkedSessions(host: Host): Promise<readonly AttentionItem[]> {
  const parked = await host.list({ doing: "parked", includeHidden: true, limit: MOST, offset: 0 });
  const users = new Map<string, AttentionItem>();
  const sessions = parked.flatMap(({ id, state }): readonly AttentionItem[] => {
    const why = state.parked?.error.message ?? "Its budget is used up.";
    const since = defined({ since: seconds(state.parked?.since) });
    const user = userOfBudget(state.parked?.error);
    if (user === undefined) {
      const title = state.title || state.preview || id;
      return [{ kind: "budget", id, session_id: id, title, why, ...since }];
    }
    // Once for all of theirs: it is raised once.
    users.set(user, { kind: "user", id: user, title: "A user's month", why, ...since });
    return [];
  });
  return [...sessions, ...users.values()];
}

async function connectorsDown(parts: ConnectorPageParts): Promise<readonly AttentionItem[]> {
  const down = (await connectorPages(parts).list()).filter(
    ({ enabled, state }) => enabled && (state === "retrying" || state === "off"),
  );
  return down.map(({ platform, title, reason, last_error: error, since }) => ({
    kind: "connector",
    id: platform,
    title,
    why: reason ?? error ?? "It is not connected.",
    ...defined({ since }),
  }));
}

async function personasMissing(agent: ConnectorPageParts["agent"]): Promise<readonly AttentionItem[]> {
  const missing = await missingPersonas(agent);
  return missing.map(({ name, title, why }) => ({ kind: "persona", id: name, title, why }));
}

async function failedDeliveries(
  { services }: ConnectorPageParts,
  since: number,
): Promise<readonly AttentionItem[]> {
  const failed = await services.outbox.list({ status: "failed", limit: MOST });
  return failed
    .filter(({ endedAt = 0, source }) => endedAt >= since && source.kind !== "chat")
    .map(({ id, target, error, endedAt, source }) => ({
      kind: "delivery",
      id,
      title: `${source.kind} ${source.id} to ${[target.kind, target.chatId].filter(Boolean).join(":")}`,
      why: error ?? "It could not be delivered.",
      ...defined({ since: seconds(endedAt) }),
    }));
}

async function failedMessages(
  inbox: (platform: string) => Inbox,
  since: number,
): Promise<readonly AttentionItem[]> {
  const lists = CHAT_PLATFORMS.map(async ({ name, title }) => {
    const failed = await inbox(name).list({ status: "failed", limit: MOST });
    return failed
      .filter(({ acceptedAt, event }) => acceptedAt >= since && event.type === "message")
      .map(({ id, event, error, acceptedAt }): AttentionItem => ({
        kind: "message",
        id,
        title: `A message of ${event.from.name} on ${title}`,
        why: error ?? "It has no answer.",
        since: acceptedAt / 1000,
      }));
  });
  return (await Promise.all(lists)).flat();
}

async function failedJobs({ services: { jobs } }: ConnectorPageParts): Promise<readonly AttentionItem[]> {
  const failed = (await jobs.list()).filter(
    ({ state, last }) =>
      state === "scheduled" && (last?.status === "error" || last?.deliveryError !== undefined),
  );
  return failed.map(({ id, name, last }) => ({
    kind: "job",
    id,
    title: name,
    why: last?.error ?? last?.deliveryError ?? "Its last run failed.",
    ...defined({ since: seconds(last?.at) }),
  }));
}

/** Members who are on the roster, and whom no code reaches. */
async function appClosed({ agent, services }: ConnectorPageParts): Promise<readonly AttentionItem[]> {
  const roster = new Roster(agent.store.records, agent.host.services);
  const why = await appSignInFault(roster, services.senders("sms") !== undefined);
  return why === undefined ? [] : [{ kind: "app", id: "sms", title: "The members' app", why }];
}

/** Those that nobody switched off: they took nothing for three days. */
function addressesOff({ services: { events } }: ConnectorPageParts): readonly AttentionItem[] {
  return events.addresses
    .list()
    .flatMap(({ id, url, description, enabled, off_reason: why }) =>
      enabled || why === undefined
        ? []
        : [{ kind: "address" as const, id, title: `Webhook ${description || new URL(url).host}`, why }],
    );
}

/** Gives a session another budget; what had stopped there goes on. @throws HostError `invalid_params`, `conflict` */
async function goOn(
  { agent }: ConnectorPageParts,
  id: string,
  { budget, from }: { readonly budget: string | undefined; readonly from: Origin },
): Promise<void> {
  if (budget === undefined)
    throw new HostError("invalid_params", "Say what the session may use from now on, such as 200k or $2.50.");
  const session = await agent.host.session(id);
  const { cwd, roots } = session.state;
  const result = await new SlashCommands().dispatch(`/budget ${budget}`, {
    host: agent.host,
    session,
    from,
    workspace: { cwd, roots },
    signal: AbortSignal.timeout(GO_ON_MS),
    stopProcesses: (sessionId) => agent.stopProcesses(sessionId),
  });
  if (result.type === "send") session.submit({ text: result.message, from, questions: { mode: "ask" } });
  else if ((await session.refresh()).parked !== undefined)
    throw new HostError("conflict", "The session has used that much already: give it more.");
}

const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);
