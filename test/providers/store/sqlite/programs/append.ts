import { writeSync } from "node:fs";
import type { DurableEvent } from "../../../../../src/core/events/events.ts";
import type { Piece } from "../../../../../src/core/ports/store.ts";
import {
  inCallersThread,
  inOwnThread,
  readIdentity,
  sqliteStore,
} from "../../../../../src/providers/store/index.ts";
import { logPen } from "../../../../kit/log-pen.ts";

/**
 * Appends to one session as fast as it can until it is killed, and says on stdout what was confirmed: `t <token>` for
 * a streamed token, `r <n> <seq>` for a row. A row now and then holds all tokens that streamed since the last one.
 * Arguments: home, session, how many tokens a row holds at most; with
 * `--callers-thread` its store has no thread of its own.
 */
const [, , home = "", session = "", most = "8"] = process.argv;
const openBackend = process.argv.includes("--callers-thread") ? inCallersThread : inOwnThread();
const store = await sqliteStore({ home, identity: readIdentity(process.pid), openBackend });

function say(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      // The pipe is full: whoever reads it is busy.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}

async function takeLease(): Promise<{
  readonly fence: number;
  readonly cursor: number;
  readonly tokens: string[];
}> {
  const record = await store.record(session);
  if (record === undefined) throw new Error(`no session ${session}`);
  const pen = logPen(undefined, record.state);
  const page = await store.read(session, { after: record.state.seq, limit: 1 });
  const tokens = page?.pieces.flatMap(({ text }) => text.match(/[^;]+;/g) ?? []) ?? [];
  const last = page?.pieces.at(-1);
  const cursor = last === undefined ? record.state.seq : last.cursor + last.text.length;
  const { owner } = record;
  if (owner === undefined) {
    const result = await store.append(pen.append(session, []));
    if (result.status !== "ok" || result.fence === undefined) throw new Error(`not mine: ${result.status}`);
    return { fence: result.fence, cursor, tokens };
  }
  const lease = await store.takeOver(session, owner.hostId);
  if (lease === undefined) throw new Error(`not taken over from ${JSON.stringify(owner)}`);
  await store.forgetHost(owner.hostId);
  return { fence: lease.fence, cursor, tokens };
}

const { fence, ...left } = await takeLease();
const pen = logPen(undefined, (await store.record(session))?.state);
let { cursor } = left;
let tokens = left.tokens;
say(`fence ${fence}`);
for (let count = 0; ; count += 1) {
  const token = `${fence}.${count};`;
  const piece: Piece = { cursor, kind: "text", text: token };
  // Some replies are saved at once, some go through the database, and some begin so and end so.
  const atOnce = (Math.floor(count / 7) % 3 === 0 || count % 2 === 0) && savedAtOnce(piece);
  if (!atOnce) await done(pen.append(session, [], { fence, pieces: [piece] }));
  cursor += token.length;
  tokens.push(token);
  say(`t ${token}`);
  if (tokens.length < 1 + (count % Number(most))) continue;
  const text = tokens.join("");
  const event: DurableEvent = { type: "notice", level: "info", kind: "tokens", text };
  const after = pen.head;
  const rows = pen.rows([event], { gap: cursor - after.seq });
  await done({
    ...pen.append(session, [], { fence, clearPieces: true, reserve: cursor + 1_000 }),
    after,
    rows,
    state: pen.state,
  });
  cursor = pen.head.seq;
  tokens = [];
  say(`r ${pen.head.n} ${pen.head.seq}`);
}

function savedAtOnce(piece: Piece): boolean {
  return store.savePieces({ session, fence, n: pen.head.n, pieces: [piece] });
}

async function done(request: Parameters<typeof store.append>[0]): Promise<void> {
  const { status } = await store.append(request);
  if (status !== "ok") throw new Error(`append: ${status}`);
}
