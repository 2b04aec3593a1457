import { readFileSync, realpathSync, statfsSync } from "node:fs";
import { HostError } from "../../../shared/errors/host-error.ts";

/** Magic numbers of file systems that live on another machine. Locks and shared memory do not hold there. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x564c, "NCP"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x01021997, "9P"],
]);

const FUSE = 0x65735546;

/** The FUSE file systems on other machines or in a cloud; FUSE carries local ones too. */
const NETWORK_FUSE =
  /^(virtiofs|fuse\.(sshfs|s3fs|s3ql|rclone|gcsfuse|goofys|glusterfs|ceph-fuse|davfs|davfs2|smbnetfs|cifs|curlftpfs|blobfuse2?|juicefs|mfs|seaweedfs|google-drive-ocamlfuse))$/i;

/**
 * The name of the network file system that holds a path, or `undefined` for a local one.
 *
 * @param type - as `statfs` gives it
 * @param mounts - reads the text of `/proc/self/mountinfo`
 */
export function networkFileSystem(type: number, path: string, mounts: () => string): string | undefined {
  const unsigned = type >>> 0;
  if (unsigned !== FUSE) return NETWORK.get(unsigned);
  const name = mountType(path, mounts());
  return name !== undefined && NETWORK_FUSE.test(name) ? name : undefined;
}

/** The type of the mount that a path lies in: the longest mount point that leads to it, the newest of equals. */
function mountType(path: string, mounts: string): string | undefined {
  let best: { readonly point: string; readonly type: string } | undefined;
  for (const line of mounts.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const point = before
      .split(" ")[4]
      ?.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)));
    const type = after.split(" ")[0];
    if (point === undefined || type === undefined) continue;
    const leads = path === point || path.startsWith(point.endsWith("/") ? point : `${point}/`);
    if (leads && point.length >= (best?.point.length ?? 0)) best = { point, type };
  }
  return best?.type;
}

/**
 * Refuses a home on a network file system, where two machines could write the same file without noticing each other.
 *
 * @throws HostError `store_unavailable`
 */
export function refuseNetworkFileSystem(home: string): void {
  const name = networkFileSystemOf(home);
  if (name === undefined) return;
  throw new HostError(
    "store_unavailable",
    `The store cannot be kept in ${home}: it is on a network file system (${name}), where file locks do not hold. Set AGENT_HOME to a folder on a local disk.`,
  );
}

/** The name of the network file system that holds a path; `undefined` for a local one. @throws when there is no such path */
export const networkFileSystemOf = (path: string): string | undefined =>
  networkFileSystem(statfsSync(path).type, realpathSync(path), () =>
    readFileSync("/proc/self/mountinfo", "utf8"),
  );
