import { stage, warmClock } from "./sandbox-stage.ts";

/** A host that leaves while walls stand that were put up ahead; it says so when all of it is closed. */
const { clock, warm } = warmClock();
const at = await stage({}, { clock });
await at.run("true", { warm: true });
await warm();
await at[Symbol.asyncDispose]();
console.log("closed");
