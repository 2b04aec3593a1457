import type { HostFacts, HostRemains } from "../operations.ts";
import { returnCommands } from "./commands.ts";
import type { HomeData } from "./home.ts";

/** Puts a host where others can see it, with a fresh beat: it is about to hold something. */
export function showHost(home: HomeData, { beat: _beat, ended: _ended, ...identity }: HostFacts): void {
  const line = home.hosts.get(identity.id) ?? { identity, beat: 0, ended: false, children: new Map() };
  line.beat += 1;
  line.ended = false;
  home.hosts.set(identity.id, line);
}

export function beat(home: HomeData, id: string): boolean {
  const line = home.hosts.get(id);
  const waiting = home.commands.some(({ taken, result }) => taken === id && result === undefined);
  const working = [...home.records.values()].some(({ claim }) => claim === id);
  if (sessionsOf(home, id).length > 0 || waiting || working || (line?.children.size ?? 0) > 0) {
    if (line !== undefined) line.beat += 1;
    return true;
  }
  home.hosts.delete(id);
  return false;
}

/** Ends a host: what it still holds is there for others, at once. */
export function endHost(home: HomeData, id: string): void {
  const line = home.hosts.get(id);
  if (beat(home, id) && line !== undefined) line.ended = true;
  for (const claims of home.claims.values()) claims.delete(id);
}

export function listHosts(home: HomeData): readonly HostRemains[] {
  return [...home.hosts.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { children }]) => ({
      host: home.hostFacts(id),
      children: [...children.values()].sort((a, b) => a.pid - b.pid),
      sessions: sessionsOf(home, id),
    }));
}

const sessionsOf = (home: HomeData, id: string): readonly string[] =>
  [...home.sessions.values()].filter(({ holder }) => holder === id).map((session) => session.id);

/** Forgets a dead host. As long as it still holds a session it stays known: somebody must take that over. */
export function bury(home: HomeData, id: string): void {
  home.hosts.get(id)?.children.clear();
  returnCommands(home, id);
  for (const claims of home.claims.values()) claims.delete(id);
  if (sessionsOf(home, id).length === 0) home.hosts.delete(id);
}
