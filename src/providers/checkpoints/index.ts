export { type CheckpointOptions, openCheckpoints } from "./thread.ts";
