import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import type { FifoSupply } from "./fifo-supply.ts";
import { PipeReader } from "./pipe-reader.ts";

interface HostEnd {
  destroy(): void;
}

/** A pipe of which one end is for a child and the other one for the host. */
export interface ChildPipe<Host extends HostEnd = HostEnd> {
  readonly host: Host;
  readonly childEnd: number;
  /** Closes the host's copy of the child's end, once the child has its own. */
  release(): void;
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK } = constants;

/**
 * Makes real pipes. What Node gives to children are sockets: two of them do not keep the order of what a program says
 * on both its outputs, `/dev/stderr` cannot be opened on one, and a bash that reads from one takes itself for a remote
 * login and runs `~/.bashrc`. Both resolve `undefined` where no pipe can be made. To open a pipe takes less than the way to
 * another thread: nobody waits here for the other end.
 */
export function pipeFromChild(fifos: FifoSupply): Promise<ChildPipe<PipeReader> | undefined> {
  return withFifo(fifos, (path) => {
    const ours = openSync(path, O_RDONLY | O_NONBLOCK);
    return paired(new PipeReader(ours), () => openSync(path, O_WRONLY));
  });
}

export function pipeToChild(fifos: FifoSupply): Promise<ChildPipe<Socket> | undefined> {
  return withFifo(fifos, (path) => {
    // Opened for both, it lets either end be opened without waiting for the other.
    const both = openSync(path, O_RDWR);
    try {
      const ours = openSync(path, O_WRONLY | O_NONBLOCK);
      const host = new Socket({ fd: ours, readable: false, writable: true });
      return paired(host, () => openSync(path, O_RDONLY));
    } finally {
      closeSync(both);
    }
  });
}

function paired<Host extends HostEnd>(host: Host, openOther: () => number): ChildPipe<Host> {
  try {
    const childEnd = openOther();
    return { host, childEnd, release: () => closeSync(childEnd) };
  } catch (error) {
    host.destroy();
    throw error;
  }
}

async function withFifo<Pipe>(fifos: FifoSupply, use: (path: string) => Pipe): Promise<Pipe | undefined> {
  const fifo = await fifos.take();
  if (fifo === undefined) return undefined;
  try {
    return use(fifo.path);
  } finally {
    await fifo.release();
  }
}
