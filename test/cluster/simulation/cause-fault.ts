import type { Recorder } from "../history/recorder.ts";
import type { HostNetwork } from "./host-network.ts";
import type { OneWay } from "./one-way.ts";
import type { ScheduledFault } from "./schedule.ts";
import type { SimulatedHost } from "./simulated-host.ts";
import type { SimulatedTime } from "./simulated-time.ts";

const HOUR_MS = 3_600_000;

/** The world in which faults are caused. */
export interface FaultPorts {
  readonly time: SimulatedTime;
  readonly recorder: Recorder;
  /** No fault lasts longer. */
  readonly until: number;
}

/** Lets a fault happen to a host, and end. */
export function causeFault(host: SimulatedHost, fault: ScheduledFault, ports: FaultPorts): void {
  const { time, until } = ports;
  const end = Math.min(time.now + fault.ms, until);
  const { network } = host;
  switch (fault.name) {
    case "kill":
      host.kill();
      time.at(end, () => host.start());
      return;
    case "pause":
      host.pause(end);
      return;
    case "clock":
      host.turn(Math.round((fault.size - 0.5) * 2 * HOUR_MS));
      return;
    case "partition":
    case "deaf store":
    case "deaf host":
    case "slow network":
    case "slow store":
    case "flapping":
    case "reset":
      if (network !== undefined) causeNetworkFault(network, { ...fault, end }, ports);
  }
}

function causeNetworkFault(
  network: HostNetwork,
  { name, size, end }: ScheduledFault & { readonly end: number },
  { time }: FaultPorts,
): void {
  const { toStore, fromStore } = network;
  switch (name) {
    case "partition":
      return cut([toStore, fromStore], time, end);
    case "deaf store":
      return cut([toStore], time, end);
    case "deaf host":
      return cut([fromStore], time, end);
    case "flapping": {
      const flap = (): void => {
        if (time.now >= end) return;
        const down = 20 + size * 500;
        cut([toStore, fromStore], time, Math.min(time.now + down, end));
        time.after(2 * down, flap);
      };
      return flap();
    }
    case "slow network":
      for (const way of [toStore, fromStore]) way.latency = [size * 100, size * 2000];
      time.at(end, () => network.hasten());
      return;
    case "slow store":
      network.stall = size * 7000;
      time.at(end, () => void (network.stall = 0));
      return;
    case "reset":
      return network.reset();
    case "kill":
    case "pause":
    case "clock":
  }
}

function cut(ways: readonly OneWay[], time: SimulatedTime, end: number): void {
  for (const way of ways) {
    way.cut();
    time.at(end, () => way.open());
  }
}
