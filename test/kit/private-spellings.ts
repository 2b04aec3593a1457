import type { Resolve } from "../../src/providers/fetch/index.ts";
import { random } from "./counts.ts";

/** The name of a host that is public as far as a test is concerned. */
export const PUBLIC = "public.test";

/**
 * Addresses, each of them leading to a private place, or nowhere: this machine, one's own networks, the metadata of
 * clouds, in the spellings that parsers have been found to disagree on.
 */
export function privateSpellings(count: number, port: number): readonly string[] {
  const chance = random(9);
  const pick = <T>(from: readonly [T, ...T[]]): T => from[Math.floor(chance() * from.length)] ?? from[0];
  const byte = (): number => Math.floor(chance() * 256);
  const made = Array.from({ length: count }, () => {
    const host = chance() < 0.8 ? numeric(pick(PLACES)(byte), { pick, byte }) : pick(NAMES);
    return wrapped(host, port, pick);
  });
  return [...FIXED.map((host) => `http://${host}:${port}/`), ...WHOLE(port), ...made];
}

/**
 * Where the names among the spellings lead: to one private address, to a public and a private one, to one in the
 * clothes of the other family.
 */
export const privateNames: Resolve = (name) => {
  const [, address] = NAMED.find(([part]) => name.includes(part)) ?? ["", ["127.0.0.1"]];
  return Promise.resolve(address.map((each) => ({ address: each, family: each.includes(":") ? 6 : 4 })));
};

const NAMED: readonly (readonly [part: string, addresses: readonly string[]])[] = [
  ["half", ["93.184.216.34", "127.0.0.1"]],
  ["otherhalf", ["::1", "2606:2800:220:1::1"]],
  ["six", ["::1"]],
  ["mapped", ["::ffff:127.0.0.1"]],
  ["zone", ["fe80::1%lo"]],
  ["nat", ["64:ff9b::7f00:1"]],
  ["unique", ["fd00:ec2::254"]],
  ["meta", ["169.254.169.254"]],
];

const NAMES = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
  "127.0.0.1.nip.io",
  "half.test",
  "otherhalf.test",
  "six.test",
  "mapped.test",
  "zone.test",
  "nat.test",
  "unique.test",
  "metadata.meta.internal",
  "xn--mgba3gch31f.test",
] as const;

type Octets = readonly [number, number, number, number];

/** Places that nobody else may be led to. */
const PLACES: readonly [(byte: () => number) => Octets, ...((byte: () => number) => Octets)[]] = [
  (byte) => [127, byte(), byte(), 1],
  () => [127, 0, 0, 1],
  (byte) => [10, byte(), byte(), byte()],
  (byte) => [172, 16 + (byte() % 16), byte(), byte()],
  (byte) => [192, 168, byte(), byte()],
  () => [169, 254, 169, 254],
  () => [100, 100, 100, 200],
  () => [168, 63, 129, 16],
  () => [192, 0, 0, 192],
  (byte) => [0, 0, 0, byte()],
  (byte) => [198, 18, byte(), byte()],
  (byte) => [224 + (byte() % 32), byte(), byte(), byte()],
];

interface Dice {
  readonly pick: <T>(from: readonly [T, ...T[]]) => T;
  readonly byte: () => number;
}

const number = (value: number, { pick }: Dice): string => {
  const hex = value.toString(16);
  return pick([
    `${value}`,
    `0x${hex}`,
    `0X${hex.toUpperCase()}`,
    `0${value.toString(8)}`,
    `0000${value.toString(8)}`,
    `0x000${hex}`,
  ]);
};

/** One of the ways to write an IPv4 address, as such or inside an IPv6 one. */
function numeric(octets: Octets, dice: Dice): string {
  const [a, b, c, d] = octets;
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  const dotted = octets.join(".");
  const parts = (...values: number[]): string => values.map((value) => number(value, dice)).join(".");
  return dice.pick([
    () => dotted,
    () => `${dotted}.`,
    () => parts(a, b, c, d),
    () => parts(a, b, c * 256 + d),
    () => parts(a, (b * 256 + c) * 256 + d),
    () => parts(whole),
    () => dotted.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    () => dotted.replaceAll(/[1-9]/g, (digit) => String.fromCodePoint(0x245f + Number(digit))),
    () => dotted.replaceAll(".", dice.pick(["。", "．", "｡", "%2e", "%E3%80%82"])),
    () => dotted.replaceAll(/\d/g, (digit) => `%3${digit}`),
    () => `[::ffff:${dotted}]`,
    () => `[::FFFF:${high}:${low}]`,
    () => `[0:0:0:0:0:ffff:${dotted}]`,
    () => `[0000:0000:0000:0000:0000:ffff:${high}:${low}]`,
    () => `[::${dotted}]`,
    () => `[::${high}:${low}]`,
    () => `[::ffff:0:${dotted}]`,
    () => `[64:ff9b::${dotted}]`,
    () => `[64:ff9b::${high}:${low}]`,
    () => `[64:ff9b:1::${high}:${low}]`,
    () => `[2002:${high}:${low}::1]`,
    () => `[2001:0:${high}:${low}::${high}:${low}]`,
    () => `[fe80::${high}:${low}]`,
    () => `[fe80::${low}%25eth0]`,
    () => `[f${dice.pick(["c", "d"])}${dice.byte().toString(16).padStart(2, "0")}::${low}]`,
    () => `[ff02::${low}]`,
  ])();
}

/** The ways in which a host can be hidden in an address. */
function wrapped(host: string, port: number, pick: Dice["pick"]): string {
  return pick([
    `http://${host}:${port}/`,
    `http://${host}:${port}/`,
    `HTTP://${host}:0${port}/x?y#z`,
    `http:${host}:${port}/`,
    `http:/\\${host}:${port}/`,
    `http:///${host}:${port}/`,
    `http://${PUBLIC}@${host}:${port}/`,
    `http://${PUBLIC}:80@${host}:${port}/`,
    `http://${host}:${port}#@${PUBLIC}/`,
    `http://${host}:${port}\\@${PUBLIC}/`,
    `http://${host.slice(0, 2)}\t${host.slice(2)}:${port}/`,
    `  http://${host}:${port}/\n`,
    `http://${host}/`,
    `https://${host}:${port}/`,
  ]);
}

const FIXED = [
  "0",
  "127.1",
  "2130706433",
  "017700000001",
  "0x7f000001",
  "[::1]",
  "[::]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:0:0:1]",
  "255.255.255.255",
  "①②⑦.⓪.⓪.①",
];

/** What is not fetched whatever it leads to. */
const WHOLE = (port: number): readonly string[] => [
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_GET`,
  "file:///etc/passwd",
  "data:text/plain,hello",
  `//127.0.0.1:${port}/`,
  "http://",
  "http://[::1",
  `http://127.0.0.1:${port + 65_536}/`,
];
