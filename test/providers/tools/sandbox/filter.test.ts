import { describe, expect, test } from "vitest";
import {
  JUDGED_CALLS,
  REFUSED_CALLS,
  type CallNumbers,
} from "../../../../src/providers/tools/sandbox/seccomp/calls.ts";
import {
  isFilterArchitecture,
  seccompFilter,
} from "../../../../src/providers/tools/sandbox/seccomp/filter.ts";

const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const ALLOW = 0x7fff_0000;
const refusal = (errno: number): number => 0x0005_0000 + errno;

interface Call {
  readonly nr: number;
  readonly arch: number;
  readonly args?: readonly number[];
}

/** Runs a filter as the kernel does. */
function verdict(filter: Buffer, { nr, arch, args = [] }: Call): number {
  const data = new Map<number, number>([
    [0, nr],
    [4, arch],
    ...args.map((value, i) => [16 + 8 * i, value] as const),
  ]);
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const [code, yes, no, k] = [
      filter.readUInt16LE(at * 8),
      filter[at * 8 + 2] ?? 0,
      filter[at * 8 + 3] ?? 0,
      filter.readUInt32LE(at * 8 + 4),
    ];
    const jump = (isSo: boolean): void => void (at += isSo ? yes : no);
    if (code === 0x20) loaded = data.get(k) ?? 0;
    else if (code === 0x15) jump(loaded === k);
    else if (code === 0x25) jump(loaded > k);
    else if (code === 0x35) jump(loaded >= k);
    else if (code === 0x45) jump((loaded & k) !== 0);
    else if (code === 0x06) return k;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("it came to no verdict");
}

describe.each(["x64", "arm64"] as const)("the filter of %s", (arch) => {
  const filter = seccompFilter(arch);
  const judge = (name: keyof typeof JUDGED_CALLS, ...args: readonly number[]): number =>
    verdict(filter, { nr: (JUDGED_CALLS[name] as CallNumbers)[arch] ?? -1, arch: AUDIT[arch], args });

  test("is short enough for the kernel, and comes to a verdict for every number", () => {
    expect(filter.length / 8).toBeLessThanOrEqual(4096);
    for (let nr = 0; nr < 600; nr += 1) expect(verdict(filter, { nr, arch: AUDIT[arch] })).toBeGreaterThan(0);
  });

  test("refuses what is on its list, what nobody knows yet, and other forms of calls", () => {
    for (const [name, numbers] of Object.entries<CallNumbers>(REFUSED_CALLS)) {
      const nr = numbers[arch];
      if (nr !== undefined)
        expect([name, verdict(filter, { nr, arch: AUDIT[arch] })]).toEqual([
          name,
          refusal(name.startsWith("io_uring") ? 38 : 1),
        ]);
    }
    expect(verdict(filter, { nr: 500, arch: AUDIT[arch] })).toBe(refusal(38));
    expect(verdict(filter, { nr: 0, arch: 0x4000_0003 })).toBe(0x8000_0000);
    if (arch === "x64") expect(verdict(filter, { nr: 0x4000_0001, arch: AUDIT[arch] })).toBe(refusal(38));
  });

  test("lets ordinary calls pass and looks at the arguments of others", () => {
    expect(judge("clone", 0x0120_0011)).toBe(ALLOW);
    expect(judge("clone", 0x1000_0011)).toBe(refusal(1));
    expect(judge("clone3")).toBe(refusal(38));
    expect([1, 2, 10].map((family) => judge("socket", family))).toEqual([ALLOW, ALLOW, ALLOW]);
    expect([judge("socket", 16, 3, 0), judge("socket", 16, 3, 12)]).toEqual([ALLOW, refusal(97)]);
    expect([40, 38, 17, 31].map((family) => judge("socket", family))).toEqual([97, 97, 97, 97].map(refusal));
    expect([judge("ioctl", 0, 0x5401), judge("ioctl", 0, 0x5412), judge("ioctl", 0, 0x541c)]).toEqual([
      ALLOW,
      refusal(1),
      refusal(1),
    ]);
    expect([judge("fchmodat", 0, 0, 0o1777), judge("fchmodat", 0, 0, 0o4755)]).toEqual([ALLOW, refusal(1)]);
    expect([judge("openat", 0, 0, 0o101, 0o644), judge("openat", 0, 0, 0o101, 0o2755)]).toEqual([
      ALLOW,
      refusal(1),
    ]);
    // Without a file to create, the last argument is whatever happens to be there.
    expect(judge("openat", 0, 0, 0, 0o6755)).toBe(ALLOW);
    expect(judge("openat", 0, 0, 0o20_200_002, 0o4755)).toBe(refusal(1));
  });
});

test("there is no filter for other processors", () => {
  expect(["x64", "arm64", "ia32", "riscv64"].map((arch) => isFilterArchitecture(arch))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
