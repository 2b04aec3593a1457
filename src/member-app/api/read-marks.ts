import { RecordSpace } from "../../automation/work/record-space.ts";
import type { Records, SessionState } from "../../core/index.ts";

interface ReadMark {
  readonly user: string;
  readonly conversation: string;
  /** The cursor up to which they have seen it. */
  readonly seq: number;
}

const keyOf = ({ user, conversation }: Pick<ReadMark, "user" | "conversation">): string =>
  `${user} ${conversation}`;

/** The places up to which members have read their conversations, on whatever device. */
export class ReadMarks {
  readonly #space: RecordSpace<ReadMark>;

  constructor(records: Records) {
    this.#space = new RecordSpace<ReadMark>(records, {
      space: "app.read",
      name: "Read mark",
      encode: (mark) => ({
        space: "app.read",
        key: keyOf(mark),
        parent: mark.user,
        value: JSON.stringify(mark),
      }),
    });
  }

  /** Notes that everything up to a cursor was seen. */
  async note(mark: ReadMark): Promise<void> {
    if (await this.#space.add(mark)) return;
    await this.#space.change(keyOf(mark), ({ seq }) => (seq < mark.seq ? mark : undefined));
  }

  /** The cursor up to which a conversation was seen; 0 for one that never was. */
  async of(user: string, conversation: string): Promise<number> {
    return (await this.#space.get(keyOf({ user, conversation })))?.seq ?? 0;
  }

  async forget(user: string, conversation: string): Promise<void> {
    await this.#space.remove(keyOf({ user, conversation }));
  }
}

/** Whether the newest answer was not seen. What its member stopped is nothing new to them. */
export const isUnread = ({ lastTurn }: Pick<SessionState, "lastTurn">, seen: number): boolean =>
  lastTurn !== undefined && lastTurn.outcome !== "cancelled" && lastTurn.to > seen;
