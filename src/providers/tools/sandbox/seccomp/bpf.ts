/** One instruction of the classic packet filter, in which seccomp filters are written (`struct sock_filter`). */
export type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number];

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff_0000;
const ERRNO = 0x0005_0000;
const KILL_PROCESS = 0x8000_0000;

/** Offsets in `struct seccomp_data`. */
export const NUMBER = 0;
export const ARCHITECTURE = 4;
/** The lower half of an argument; both architectures put it first. */
export const callArgument = (index: number): number => 16 + 8 * index;

export const load = (offset: number): Instruction => [LOAD_WORD, 0, 0, offset];
export const allow: Instruction = [RETURN, 0, 0, ALLOW];
export const kill: Instruction = [RETURN, 0, 0, KILL_PROCESS];
export const fail = (errno: number): Instruction => [RETURN, 0, 0, ERRNO | errno];

const skipUnless = (code: number, operand: number, body: readonly Instruction[]): readonly Instruction[] => [
  [code, 0, body.length, operand],
  ...body,
];

export const whenEqual = (value: number, body: readonly Instruction[]): readonly Instruction[] =>
  skipUnless(JUMP_EQUAL, value, body);
export const whenGreater = (value: number, body: readonly Instruction[]): readonly Instruction[] =>
  skipUnless(JUMP_GREATER, value, body);
export const whenAtLeast = (value: number, body: readonly Instruction[]): readonly Instruction[] =>
  skipUnless(JUMP_AT_LEAST, value, body);
export const whenAnyBit = (mask: number, body: readonly Instruction[]): readonly Instruction[] =>
  skipUnless(JUMP_ANY_BIT, mask, body);

/** The bytes of a filter, as the kernel takes them on machines that put the lower byte first. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, whenTrue, whenFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}
