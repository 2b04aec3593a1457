import { hostname, networkInterfaces } from "node:os";

/** The names and addresses by which this machine may be called. */
export function machineNames(): readonly string[] {
  const name = hostname();
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return [name, `${name}.local`, ...addresses.map(({ address }) => address)];
}
