import {
  allow,
  ARCHITECTURE,
  callArgument,
  assemble,
  fail,
  type Instruction,
  kill,
  load,
  NUMBER,
  whenAnyBit,
  whenAtLeast,
  whenEqual,
  whenGreater,
} from "./bpf.ts";
import {
  type CallNumbers,
  type FilterArchitecture,
  JUDGED_CALLS,
  NEWEST_CALL,
  REFUSED_CALLS,
} from "./calls.ts";

const AUDIT: Readonly<Record<FilterArchitecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** The bit of calls in the x32 form, which have other numbers for the same. */
const X32 = 0x4000_0000;

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACE = 0x7e02_0000;
/** The bits that make a file run as its owner or group. */
const SET_ID = 0o6000;
/** O_CREAT and the bit of O_TMPFILE. */
const CREATES = 0o100 | 0o20_000_000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

type JudgedCall = keyof typeof JUDGED_CALLS;

const setIdIn = (index: number): readonly Instruction[] => [
  load(callArgument(index)),
  ...whenAnyBit(SET_ID, [fail(EPERM)]),
  allow,
];

const createsWith = (flags: number, mode: number): readonly Instruction[] => [
  load(callArgument(flags)),
  ...whenAnyBit(CREATES, setIdIn(mode)),
  allow,
];

const families = (allowed: readonly number[]): readonly Instruction[] =>
  allowed.flatMap((family) => whenEqual(family, [allow]));

/** The judgement of a call by its arguments; each ends with a verdict. A structure behind a pointer cannot be looked into. */
const JUDGEMENTS: Readonly<Record<JudgedCall, readonly Instruction[]>> = {
  clone: [load(callArgument(0)), ...whenAnyBit(NEW_NAMESPACE, [fail(EPERM)]), allow],
  // Its flags lie in a structure. The C library takes `clone` where this one is missing.
  clone3: [fail(ENOSYS)],
  openat2: [fail(ENOSYS)],
  chmod: setIdIn(1),
  fchmod: setIdIn(1),
  fchmodat: setIdIn(2),
  fchmodat2: setIdIn(2),
  creat: setIdIn(1),
  mknod: setIdIn(1),
  mknodat: setIdIn(2),
  open: createsWith(1, 2),
  openat: createsWith(2, 3),
  socket: [
    load(callArgument(0)),
    ...families([AF_UNIX, AF_INET, AF_INET6]),
    ...whenEqual(AF_NETLINK, [load(callArgument(2)), ...whenEqual(NETLINK_ROUTE, [allow])]),
    fail(EAFNOSUPPORT),
  ],
  socketpair: [load(callArgument(0)), ...families([AF_UNIX]), fail(EAFNOSUPPORT)],
  ioctl: [
    load(callArgument(1)),
    ...whenEqual(TIOCSTI, [fail(EPERM)]),
    ...whenEqual(TIOCLINUX, [fail(EPERM)]),
    allow,
  ],
};

/** Programs that try rings of the kernel go on without them when they do not exist. */
const MISSING: ReadonlySet<string> = new Set(["io_uring_setup", "io_uring_enter", "io_uring_register"]);

export const isFilterArchitecture = (arch: string): arch is FilterArchitecture => arch in AUDIT;

/** The seccomp filter of programs inside, as `bwrap --seccomp` reads it. */
export function seccompFilter(arch: FilterArchitecture): Buffer {
  const refused = Object.entries<CallNumbers>(REFUSED_CALLS).flatMap(([name, numbers]) =>
    rule(numbers[arch], [fail(MISSING.has(name) ? ENOSYS : EPERM)]),
  );
  const judged = Object.entries<CallNumbers>(JUDGED_CALLS).flatMap(([name, numbers]) =>
    // The names are the table's own.
    rule(numbers[arch], JUDGEMENTS[name as JudgedCall]),
  );
  return assemble([
    load(ARCHITECTURE),
    [0x15, 1, 0, AUDIT[arch]],
    kill,
    load(NUMBER),
    ...(arch === "x64" ? whenAtLeast(X32, [fail(ENOSYS)]) : []),
    ...whenGreater(NEWEST_CALL, [fail(ENOSYS)]),
    ...refused,
    ...judged,
    allow,
  ]);
}

const rule = (number: number | undefined, body: readonly Instruction[]): readonly Instruction[] =>
  number === undefined ? [] : whenEqual(number, body);
