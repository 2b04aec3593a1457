import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "../../app/model-setup/provider-checks.ts";
import type { AppSettings } from "../../app/config/settings.ts";
import { toHostError } from "../../shared/errors/host-error.ts";

/** Looks at the database that machines share: is it there, new enough, quick, and does it keep what it confirms. */
export async function* databaseChecks({ store, paths }: AppSettings): AsyncGenerator<Check, void> {
  if (store.url === undefined) return;
  try {
    const { databaseFaults, inspectDatabase } = await import("../../providers/store/postgres/inspect.ts");
    const facts = await inspectDatabase(store.url, store.listenUrl);
    const faults = databaseFaults(facts);
    const { where, version, schema, newestSchema, latencyMs, connections } = facts;
    const step = schema === newestSchema ? "" : ` of ${newestSchema}, which the next start writes`;
    const text = `${where}: PostgreSQL ${version}, schema ${schema}${step}, answers in ${latencyMs.toFixed(1)} ms, ${connections.open} of ${connections.most} connections`;
    yield { name: "database", ok: faults.length === 0, text: [text, ...faults].join(". ") };
    const left = ["state.db", "memories"].filter((name) => existsSync(join(paths.home, name)));
    if (left.length > 0)
      yield {
        name: "left",
        ok: true,
        text: `${left.join(" and ")} in ${paths.home} are not used with store.url; \`agent store copy\` moves them into an empty database`,
      };
  } catch (thrown) {
    yield { name: "database", ok: false, text: toHostError(thrown).message };
  }
}
