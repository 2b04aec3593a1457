import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainEngine } from "../engine-kit.ts";

/**
 * A process that begins a command, or a restore, and is killed in the middle of it. It says `ready` when the command is at
 * work; in a restore it writes its lines while the files are put back.
 */
const [home = "", root = "", what = "", cursor = "0"] = process.argv.slice(2);

const engine = plainEngine(home);

if (what === "command") {
  while (!engine.readMore([root]));
  engine.before({ session: "s", turnId: "t1", cursor: 10, roots: [root], label: "command" }, []);
  for (let number = 0; number < 20; number += 1) writeFileSync(join(root, `f${number}`), "half done");
  engine.beat();
  console.log("ready");
  setInterval(() => undefined, 60_000);
} else {
  console.log("ready");
  engine.restore({ session: "s", after: Number(cursor) - 1, cursor: 1000, label: "rewind" });
  console.log("done");
}
