import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { endWithTest } from "../end-with-test.ts";
import { freePort } from "../free-port.ts";
import { packagedPostgres } from "./binaries.ts";
import { giveToServer, ownFolder } from "./server.ts";

/** A PgBouncer in transaction mode, in front of a server. */
export interface TestPooler extends AsyncDisposable {
  /** A database's address through it. */
  url(direct: string): string;
}

/** Whether this machine has PgBouncer. */
export function hasPooler(): boolean {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts PgBouncer with few connections, so that statements of one client go to several of them.
 *
 * @param server - the address of a database of the server
 */
export async function startPooler(server: string): Promise<TestPooler> {
  // As the database's server it does not run as root.
  const user = packagedPostgres()?.user;
  const folder = await ownFolder(user);
  const port = await freePort();
  const { hostname, port: serverPort, username } = new URL(server);
  const file = join(folder, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${serverPort} user=${username}`,
    "[pgbouncer]",
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    "auth_type = any\npool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 200",
  ];
  writeFileSync(file, lines.join("\n"));
  giveToServer(file, user);
  const child = spawn("pgbouncer", [file], { cwd: folder, stdio: ["ignore", "ignore", "pipe"], ...user });
  endWithTest(() => child.kill("SIGKILL"));
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on("line", (line) => {
      said.push(line);
      if (line.includes("process up")) resolve();
    });
    child.once("exit", () => reject(new Error(`PgBouncer did not start:\n${said.join("\n")}`)));
  });
  return {
    url(direct) {
      const url = new URL(direct);
      url.port = String(port);
      return url.href;
    },
    async [Symbol.asyncDispose]() {
      const over = once(child, "exit");
      child.kill("SIGKILL");
      await over;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
