import type { PersonaPort, PersonaRow } from "../../dashboard/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { TOOLSET_NAMES } from "../config/toolset-names.ts";
import type { Agent } from "../compose.ts";
import { openPersonaChanges } from "../people/open-persona-changes.ts";
import type { PersonaChanges } from "../people/persona-changes.ts";
import type { ListedPersona } from "../people/home-personas.ts";
import { type PersonaUse, personaUses } from "../people/persona-uses.ts";

/** The source of sessions in which drafts are tried. */
const TRIAL_SOURCE = "persona_trial";
const TRIAL_KEPT_MS = 3_600_000;
const SWEPT_AT_ONCE = 100;

/** The personas of a home, for the dashboard. @param cwd - folder in which drafts are tried */
export function personaPages(agent: Agent, cwd: string): PersonaPort {
  const { personas, store, live, knowledge, host, settings, kb } = agent;
  const { home } = settings.paths;
  const { book, changes } = openPersonaChanges(agent, home);
  const uses = () => personaUses({ settings: live.current, records: store.records });
  const listed = async (): Promise<readonly PersonaRow[]> => {
    await personas.changed();
    const used = await uses();
    return personas.list().map((each) => rowOf(each, used));
  };
  return {
    list: async () => (await listed()).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    async get(name) {
      const [all, versions] = await Promise.all([listed(), book.versions(name)]);
      const persona = all.find((each) => each.name === name) ?? null;
      if (persona === null && versions.length === 0)
        throw new HostError("not_found", `There is no persona ${name}.`);
      return { persona, versions: [...versions] };
    },
    async choices() {
      const found = kb.hasDocuments() ? await (await kb.open()).collections() : [];
      return {
        toolsets: [
          ...new Set([...TOOLSET_NAMES, ...host.services.toolsets().map(({ name }) => name)]),
        ].toSorted(),
        skills: knowledge.skills
          .list(home)
          .skills.map(({ name }) => name)
          .toSorted(),
        collections: found.map(({ name }) => name),
      };
    },
    async save(name, fields, seen) {
      const saved = await changes.save(name, fields, seen);
      return rowOf({ ...saved, source: "edited" }, await uses());
    },
    remove: (name, seen) => changes.remove(name, seen),
    ...trials(agent, cwd, (...draft) => changes.check(...draft)),
  };
}

function trials(
  { host, personas }: Agent,
  cwd: string,
  check: PersonaChanges["check"],
): Pick<PersonaPort, "tryOut" | "endTrial"> {
  const end = async (id: string): Promise<void> => {
    const state = (await host.record(id))?.state;
    if (state === undefined) return;
    // Only what was made here is forgotten here.
    if (state.source !== TRIAL_SOURCE || !state.hidden)
      throw new HostError("not_found", `There is no trial ${id}.`);
    const session = await host.session(id);
    await session.interrupt({ from: { surface: "dashboard" } });
    await host.delete(id);
    personas.draft(id, undefined);
  };
  /** Those whose page was closed without a word. */
  const sweep = async (): Promise<void> => {
    const activeBefore = host.services.clock.now() - TRIAL_KEPT_MS;
    const page = { includeHidden: true, includeEmpty: true, limit: SWEPT_AT_ONCE, offset: 0 };
    const old = await host.list({ source: TRIAL_SOURCE, activeBefore, ...page });
    for (const { id } of old)
      await end(id).catch((thrown: unknown) => host.services.report(toHostError(thrown)));
  };
  return {
    async tryOut({ name, fields, session_id: id }) {
      const before = personas.list().find((each) => each.name === name)?.fields;
      const draft = { name, fields: await check(name, fields, before) };
      const known = id === undefined ? undefined : (await host.record(id))?.state;
      if (id !== undefined && known?.source === TRIAL_SOURCE) {
        personas.draft(id, draft);
        return id;
      }
      await sweep();
      const session = await host.open({ platform: "tui", source: TRIAL_SOURCE, hidden: true, cwd });
      personas.draft(session.id, draft);
      return session.id;
    },
    endTrial: end,
  };
}

const rowOf = (
  { name, source, version, fields }: ListedPersona,
  uses: readonly PersonaUse[],
): PersonaRow => ({
  name,
  source,
  ...(version === undefined ? {} : { version }),
  fields,
  uses: uses.filter(({ persona }) => persona === name).map(({ kind, id, title }) => ({ kind, id, title })),
});
