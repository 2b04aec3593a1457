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

async function start(script: string, word = "up"): Promise<string> {
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
      if (text.includes(word)) resolve();
    },
  });
  await promise;
  return text;
}

// Some are this process's own children, the others those of its fork server.
const own = scripts.length / 2;
await Promise.all(scripts.slice(0, own).map((script) => start(script)));
while ((await start("echo $PPID", "\n")).trim() === String(process.pid));
await Promise.all(scripts.slice(own).map((script) => start(script)));
console.log("ready");
setInterval(() => undefined, 60_000);
