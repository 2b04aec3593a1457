export { testDatabase, testPostgres } from "./database.ts";
export { giveToServer, type PostgresServer, startPostgres } from "./server.ts";
