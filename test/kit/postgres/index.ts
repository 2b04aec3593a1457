export { type TestDatabase, testDatabase, testPostgres } from "./database.ts";
export { type PostgresServer, startPostgres } from "./server.ts";
