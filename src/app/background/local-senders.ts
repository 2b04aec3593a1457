import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Delivery, Sender } from "../../automation/delivery/index.ts";
import type { ServerLog } from "../../http/index.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import { appendLog } from "../process/log-file.ts";

const KEPT = 100;

/** `local`: a file for each text in a folder of the home, the newest hundred of each source. */
export function localSender(folder: string): Sender {
  return {
    retryMs: [1000, 10_000],
    async send({ source, text, createdAt, id }) {
      const [owner = "", name = "text"] = source.id.split(":");
      const place = join(folder, safe(owner));
      makeFolder(place);
      const at = new Date(createdAt).toISOString().replaceAll(/[-:]|\.\d+/g, "");
      replaceFile(join(place, `${at}-${safe(name || id)}.md`), `${text}\n`, 0o600);
      const files = (await readdir(place)).filter((file) => file.endsWith(".md")).sort();
      for (const file of files.slice(0, Math.max(0, files.length - KEPT)))
        await rm(join(place, file), { force: true });
    },
  };
}

const safe = (name: string): string =>
  name
    .replaceAll(/[^\w.-]/g, "_")
    .replace(/^\.+/, "_")
    .slice(0, 100);

/** `log`: a line of JSON in the log of deliveries; a server's own log tells of it too. */
export function logSender(logs: string, log: ServerLog | undefined): Sender {
  return {
    retryMs: [1000, 10_000],
    atOnce: true,
    send(delivery) {
      appendLog(logs, "delivery.log", [recordOf(delivery)]);
      const { id, source, text } = delivery;
      log?.({
        event: "delivery.log",
        level: "info",
        id,
        source: `${source.kind}:${source.id}`,
        characters: text.length,
      });
      return Promise.resolve();
    },
  };
}

const recordOf = ({ id, source, subject, text }: Delivery): string =>
  JSON.stringify({ at: new Date().toISOString(), id, source: `${source.kind}:${source.id}`, subject, text });
