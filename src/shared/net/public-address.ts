import { BlockList, isIP } from "node:net";

/** Address ranges that are no public host's: one's own machine, one's own networks, and what is reserved. */
const IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // A cloud's own, which its machines reach by a public number.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Inside what is given out for public use. */
const IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const reserved = new BlockList();
for (const [network, prefix] of IPV4) reserved.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of IPV6) reserved.addSubnet(network, prefix, "ipv6");

const global = new BlockList();
global.addSubnet("2000::", 3, "ipv6");

/** Whether an address is one that anybody on the internet could be meant to reach. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reserved.check(address, "ipv4");
    case 6: {
      const inside = embeddedIpv4(address);
      if (inside !== undefined) return isPublicAddress(inside);
      return global.check(address, "ipv6") && !reserved.check(address, "ipv6");
    }
    default:
      return false;
  }
}

/** The IPv4 address that a mapped (`::ffff:a.b.c.d`) or translated (`64:ff9b::a.b.c.d`) one leads to. */
function embeddedIpv4(address: string): string | undefined {
  // The address is valid: as a host in a URL it comes back in its one shortest form, without dots.
  const [head = "", tail] = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname
    .slice(1, -1)
    .split("::");
  const left = groups(head);
  const right = groups(tail ?? "");
  const middle = Array.from({ length: 8 - left.length - right.length }, () => 0);
  const words = tail === undefined ? left : [...left, ...middle, ...right];
  const prefix = words.slice(0, 6).join(":");
  const [high = 0, low = 0] = words.slice(6);
  if (prefix !== MAPPED && prefix !== TRANSLATED) return undefined;
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

const MAPPED = [0, 0, 0, 0, 0, 0xffff].join(":");
const TRANSLATED = [0x64, 0xff9b, 0, 0, 0, 0].join(":");

const groups = (text: string): readonly number[] =>
  text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
