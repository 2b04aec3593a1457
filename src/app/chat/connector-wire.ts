import type { Records } from "../../core/index.ts";
import type { ConnectorService } from "../../http/index.ts";
import type { ConnectorPort } from "../../rpc/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { AppSettings } from "../config/settings.ts";
import { connectorList, type ListedConnector } from "./connector-list.ts";

/** The chat platforms as clients of the API and of the gateway are told of them; times are Unix seconds. */
export function connectorsOf(
  settings: () => AppSettings,
  records: Records,
): ConnectorService & ConnectorPort {
  return { list: async () => (await connectorList(settings(), records)).map(wire) };
}

const wire = ({
  platform,
  title,
  state,
  botName,
  since,
  lastError,
  lastErrorAt,
  reason,
}: ListedConnector) => ({
  platform,
  title,
  state,
  ...defined({
    bot: botName,
    since: seconds(since),
    last_error: lastError,
    last_error_at: seconds(lastErrorAt),
    reason,
  }),
});

const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);
