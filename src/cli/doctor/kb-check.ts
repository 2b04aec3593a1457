import { existsSync } from "node:fs";
import type { AppSettings } from "../../app/config/settings.ts";
import type { Check } from "../../app/model-setup/provider-checks.ts";
import { kbFile } from "../../providers/kb/mark.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { counted } from "../../shared/text/counted.ts";

/** Looks through the documents of the knowledge base; nothing is said of one that is not there. */
export async function* kbCheck({
  paths: { home },
  store: { url },
}: Pick<AppSettings, "paths" | "store">): AsyncGenerator<Check, void> {
  const file = kbFile(home);
  if (url === undefined && !existsSync(file)) return;
  const { openKb } = await import("../../providers/kb/index.ts");
  await using kb = openKb({ home, url, clock: systemClock });
  try {
    const { documents, pieces } = await kb.check();
    const text = `${counted(documents, "document")}, ${counted(pieces, "piece")}`;
    yield { name: "documents", ok: true, text };
  } catch (thrown) {
    const { message } = toHostError(thrown);
    if (url !== undefined) return yield { name: "documents", ok: false, text: message };
    const remedy = `\`agent backup restore\` brings it back; or move ${file} away and add the documents again (\`agent kb list\` and \`agent kb again\`).`;
    yield { name: "documents", ok: false, text: `${message} ${remedy}` };
  }
}
