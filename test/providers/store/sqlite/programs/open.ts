import {
  inCallersThread,
  inOwnThread,
  readIdentity,
  sqliteStore,
} from "../../../../../src/providers/store/index.ts";
import { logPen, sessionStart, titleSet } from "../../../../kit/log-pen.ts";

/**
 * Opens a home, makes a session there, appends to it a number of times and ends; prints `ok`. Arguments: home,
 * session, appends, `leave` to end without closing the store, and `--callers-thread` for a store without a thread of its own.
 */
const [, , home = "", session = "", appends = "0", ending = "close"] = process.argv;
const openBackend = process.argv.includes("--callers-thread") ? inCallersThread : inOwnThread();
const store = await sqliteStore({ home, identity: readIdentity(process.pid), openBackend });
const pen = logPen();
if (!(await store.create(session, pen.rows([sessionStart()]), pen.state))) throw new Error("the id is taken");
for (let count = 0; count < Number(appends); count += 1) {
  const { status } = await store.append(pen.append(session, [titleSet(`${count}`)], { release: true }));
  if (status !== "ok") throw new Error(`append: ${status}`);
}
if (ending === "close") await store[Symbol.asyncDispose]();
// oxlint-disable-next-line no-console -- this is a program, and its answer
console.log("ok");
