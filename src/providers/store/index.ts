export { isRunning, type ProcessIdentity, readIdentity } from "./identity.ts";
export { makeFolder } from "./make-folder.ts";
export { type MemoryHome, memoryHome, memoryStore, type MemoryStoreOptions } from "./memory-store.ts";
export type { StoreStats } from "./operations.ts";
export { sqliteStore, type SqliteStoreOptions } from "./sqlite-store.ts";
export type { HomeStore } from "./store-front.ts";
export { underLock } from "./under-lock.ts";
export type { StartThread } from "./thread.ts";
