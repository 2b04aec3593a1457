import { Connections } from "../../store/postgres/connections.ts";
import { migrate } from "../../store/postgres/schema.ts";
import type { OpenLibrary } from "../messages.ts";
import { PostgresLibrary } from "./postgres-library.ts";

/** Connections that one host needs for documents, at most. */
const MOST_CONNECTIONS = 4;

/** Opens the documents in a database that machines share. @throws HostError `store_*` */
export async function openPostgresLibrary(url: string): Promise<OpenLibrary> {
  const connections = new Connections({ url, most: MOST_CONNECTIONS, name: "agent documents" });
  try {
    await migrate(connections);
  } catch (thrown) {
    await connections.close();
    throw thrown;
  }
  return { library: new PostgresLibrary(connections), close: () => connections.close() };
}
