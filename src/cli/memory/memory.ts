import { type Io, write } from "../../app/process/io.ts";
import { withLiveSettings } from "../../app/config/with-live-settings.ts";
import { homeKnowledge } from "../../app/knowledge/knowledge.ts";
import { forget, memoryList } from "../../app/knowledge/memory-list.ts";
import type { Knowledge } from "../../providers/knowledge/index.ts";
import { withHomeParts } from "../../app/store/open-store.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

const TITLES = { memory: "What the agent remembers", user: "About the user" } as const;

/** `agent memory list`. */
export async function listMemory(
  io: Io,
  { filter = "", json }: { readonly filter?: string; readonly json: boolean },
): Promise<void> {
  const wanted = filter.trim().toLowerCase();
  const all = await withKnowledge(io, memoryList);
  const found = all
    .flatMap(({ scope, files }) => files.map((file) => ({ scope, ...file })))
    .map((file) => ({
      ...file,
      entries: file.entries.filter((entry) => entry.toLowerCase().includes(wanted)),
    }))
    .filter(({ entries }) => entries.length > 0);
  if (json) return await printJson(io, found);
  const parts = found.map(({ scope, target, entries }) => {
    const title = forTerminalLine(scope === "" ? TITLES[target] : `${TITLES[target]} (${scope})`);
    return `${title}\n${entries.map((entry) => `- ${forTerminal(entry).replaceAll("\n", "\n  ")}\n`).join("")}`;
  });
  await write(io.stdout, parts.join("\n") || "Nothing is remembered.\n");
}

/** `agent memory forget`. @throws HostError `invalid_params` */
export async function forgetEntry(
  io: Io,
  { entry, user, scope = "" }: { readonly entry: string; readonly user: boolean; readonly scope?: string },
): Promise<void> {
  const target = user ? "user" : "memory";
  const { signal } = new AbortController();
  const { entries } = await withKnowledge(io, (knowledge) =>
    forget(knowledge, { scope, target, entry }, signal),
  );
  await write(io.stdout, `Forgotten; ${entries.length} left.\n`);
}

const withKnowledge = <T>(io: Io, use: (knowledge: Knowledge) => Promise<T>): Promise<T> =>
  withLiveSettings(io, (live) =>
    withHomeParts(io, live.current, ({ memory }) =>
      use(homeKnowledge(live, { clock: systemClock, platform: io.platform, stays: false, memory })),
    ),
  );
