import type { SandboxPolicy, SandboxTools } from "../policy.ts";
import { NetworkGate } from "./gate.ts";
import type { HostList } from "./host-list.ts";
import { OuterProxies } from "./outer-proxy.ts";
import { SandboxProxy } from "./proxy.ts";

/** Makes the way out of a sandbox: who decides, and who carries, through the proxies of this machine's network. */
export function wayOut(
  { onUnlisted }: SandboxPolicy,
  hosts: HostList,
  { clock, machine }: SandboxTools,
): { readonly gate: NetworkGate; readonly proxy: SandboxProxy } {
  const outer = new OuterProxies(machine.env);
  const isLedTo: ConstructorParameters<typeof NetworkGate>[0]["isLedTo"] = (target) =>
    outer.to(target, target.port === 80 ? "http" : "https") !== undefined;
  const gate = new NetworkGate({ hosts, clock, onUnlisted, isLedTo });
  return { gate, proxy: new SandboxProxy(gate, outer) };
}
