import { appendFileSync } from "node:fs";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { Spawner } from "../../../../src/providers/tools/spawn/spawner.ts";

/**
 * A host that starts the scripts it is given and says `ready` when each said `up`; then it waits to be killed. Its
 * ledger is a file: a line for each child. With `REAPER` in its environment that program follows its death.
 */
const [hostId = "", dir = "", ...scripts] = process.argv.slice(2);

const reaper = process.env["REAPER"];

const spawner = new Spawner({
  machine: process,
  clock: systemClock,
  hostId,
  tempDir: dir,
  ...(reaper === undefined ? {} : { reaper: [process.execPath, reaper, hostId] }),
  ledger: {
    record: (child) => Promise.resolve(appendFileSync(`${dir}/ledger`, `${JSON.stringify(child)}\n`)),
    forget: () => Promise.resolve(),
  },
});

await Promise.all(
  scripts.map(async (script) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let text = "";
    await spawner.spawn({
      file: "bash",
      args: ["-c", script],
      cwd: dir,
      label: "bash",
      session: "s1",
      signal: new AbortController().signal,
      output(chunk) {
        text += Buffer.from(chunk).toString();
        if (text.includes("up")) resolve();
      },
    });
    await promise;
  }),
);
console.log("ready");
setInterval(() => undefined, 60_000);
