export { isRunning, type ProcessIdentity, readIdentity } from "./process-identity.ts";
export { type MemoryHome, memoryHome, memoryStore, type MemoryStoreOptions } from "./memory/memory-store.ts";
export type { StoreStats } from "./operations.ts";
export { networkFileSystemOf } from "./sqlite/network-file-system.ts";
export { sqliteStore, type SqliteStoreOptions } from "./sqlite/sqlite-store.ts";
export type { HomeStore } from "./backend-store.ts";
export { inCallersThread, inOwnThread, type OpenBackend } from "./sqlite/open-backend.ts";
export type { StartSearchThread } from "./search/search-thread.ts";
