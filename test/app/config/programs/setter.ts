import { once } from "node:events";
import { join } from "node:path";
import { changeConfigFile } from "../../../../src/app/config/config-file.ts";
import { setEnvValue } from "../../../../src/app/config/env-file.ts";

/** Sets keys and variables of its own, as one of several processes that do so at once. Begins when its parent says so. */
const [home = "", name = "", count = "0"] = process.argv.slice(2);

process.send?.("ready");
await once(process, "message");
for (let index = 0; index < Number(count); index += 1) {
  await changeConfigFile(join(home, "config.yaml"), [[["notes", `${name}-${index}`], index]]);
  await setEnvValue(join(home, ".env"), `${name.toUpperCase()}_${index}`, String(index));
}
process.disconnect?.();
