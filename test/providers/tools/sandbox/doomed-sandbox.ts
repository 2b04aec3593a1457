import { systemClock } from "../../../../src/shared/async/clock.ts";
import { stage } from "./sandbox-stage.ts";

/**
 * A host that runs a second script outside, starts the first one inside and says where, when that said `up`; then it waits
 * to be killed.
 */
const [script = "", before = "true"] = process.argv.slice(2);
const at = await stage();
await at.run(before, { sandbox: undefined });
const { promise, resolve } = Promise.withResolvers<void>();
await at.spawner.spawn({
  file: "bash",
  args: ["-c", script],
  cwd: at.root,
  label: "bash",
  session: "s1",
  signal: new AbortController().signal,
  sandbox: at.sandbox,
  output: (chunk) => {
    if (Buffer.from(chunk).toString().includes("up")) resolve();
  },
});
await promise;
console.log(`ready ${at.root}`);
systemClock.after(60_000, () => undefined, true);
