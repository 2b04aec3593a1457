import type { Records, StoredRecord } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { ChannelState } from "./connection.ts";

const SPACE = "chat.connector";

/** The state of a connector, as its process last noted it. Times are Unix milliseconds. */
export interface ConnectorStatus {
  readonly platform: string;
  readonly title: string;
  readonly state: ChannelState;
  /** The account's own name there. */
  readonly botName?: string;
  readonly since: number;
  readonly lastError?: string;
  readonly lastErrorAt?: number;
}

/** A change of a connector's state. */
export interface ConnectorChange extends Pick<ConnectorStatus, "platform" | "title" | "state" | "botName"> {
  readonly at: number;
  readonly error?: string;
}

/** Notes a change. The last error stays. */
export async function noteConnector(records: Records, change: ConnectorChange): Promise<void> {
  const { platform, title, state, at, error, botName } = change;
  const before = await connectorStatus(records, platform);
  // Coming and going of a connection that cannot be had is one state.
  const isSame = before?.state === state;
  const status: ConnectorStatus = {
    platform,
    title,
    state,
    since: isSame ? before.since : at,
    ...defined({
      botName: botName ?? before?.botName,
      lastError: error ?? before?.lastError,
      lastErrorAt: error === undefined ? before?.lastErrorAt : at,
    }),
  };
  await records.put({ space: SPACE, key: platform, value: JSON.stringify(status) });
}

/** The state of a platform's connector; `undefined` when it was never on. */
export async function connectorStatus(
  records: Records,
  platform: string,
): Promise<ConnectorStatus | undefined> {
  const record = await records.get(SPACE, platform);
  return record && statusIn(record);
}

// Only this file writes this space.
const statusIn = ({ value }: StoredRecord): ConnectorStatus => JSON.parse(value) as ConnectorStatus;
