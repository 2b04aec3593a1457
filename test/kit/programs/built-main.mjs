// The built command, as `bin/agent.js` loads it.
import { fileURLToPath } from "node:url";
import loading from "../../../dist/loading.cjs";

const folder = fileURLToPath(new URL("../../../dist/command", import.meta.url));
/** A function that runs a command, as often as it is called. */
export const { main } = loading.loadCommand(folder, ["again"]);
