import { defined } from "../../shared/json/defined.ts";

/** A frame of the long connection: the message `Frame` of the official SDKs' `pbbp2.proto`, https://github.com/larksuite/oapi-sdk-go/tree/v3_main/ws */
export interface FeishuFrame {
  readonly seqId: bigint;
  readonly logId: bigint;
  readonly service: number;
  /** What it is. */
  readonly method: number;
  readonly headers: readonly (readonly [key: string, value: string])[];
  readonly payloadEncoding?: string;
  readonly payloadType?: string;
  readonly payload: Uint8Array;
  readonly logIdNew?: string;
}

/** The kinds of frames. */
export const FRAME_METHOD = { control: 0, data: 1 } as const;

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/** The value of a header; empty when it is not there. */
export const headerOf = ({ headers }: FeishuFrame, wanted: string): string =>
  headers.find(([key]) => key === wanted)?.[1] ?? "";

/** Reads a frame; `undefined` for bytes that are none. Fields that are not known are passed over. */
export function decodeFrame(bytes: Uint8Array): FeishuFrame | undefined {
  const fields = readFields(bytes);
  if (fields === undefined) return undefined;
  const last = (wanted: number): Field | undefined => fields.findLast(({ field }) => field === wanted);
  const number = (wanted: number): bigint => last(wanted)?.number ?? 0n;
  const small = (wanted: number): number => Number(BigInt.asIntN(32, number(wanted)));
  const text = (wanted: number): string | undefined => {
    const found = last(wanted);
    return found && textOf(found.bytes);
  };
  return {
    seqId: number(1),
    logId: number(2),
    service: small(3),
    method: small(4),
    headers: fields.filter(({ field }) => field === 5).map((each) => headerIn(each.bytes)),
    payload: last(8)?.bytes ?? NO_BYTES,
    ...defined({ payloadEncoding: text(6), payloadType: text(7), logIdNew: text(9) }),
  };
}

/** Writes a frame; its numbers are required, also where they are 0. */
export function encodeFrame(frame: FeishuFrame): Uint8Array {
  const parts = [
    numberField(1, frame.seqId),
    numberField(2, frame.logId),
    numberField(3, BigInt.asUintN(64, BigInt(frame.service))),
    numberField(4, BigInt.asUintN(64, BigInt(frame.method))),
    ...frame.headers.map(([key, value]) =>
      bytesField(5, Buffer.concat([bytesField(1, Buffer.from(key)), bytesField(2, Buffer.from(value))])),
    ),
    ...optional(6, frame.payloadEncoding),
    ...optional(7, frame.payloadType),
    bytesField(8, frame.payload),
    ...optional(9, frame.logIdNew),
  ];
  return Buffer.concat(parts);
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

function headerIn(bytes: Uint8Array): readonly [string, string] {
  const fields = readFields(bytes) ?? [];
  const of = (wanted: number): string =>
    textOf(fields.findLast(({ field }) => field === wanted)?.bytes ?? new Uint8Array());
  return [of(1), of(2)];
}

const optional = (field: number, text: string | undefined): readonly Uint8Array[] =>
  text === undefined ? [] : [bytesField(field, Buffer.from(text))];

const numberField = (field: number, value: bigint): Uint8Array =>
  Buffer.concat([varint(BigInt((field << 3) | VARINT)), varint(value)]);

const bytesField = (field: number, value: Uint8Array): Uint8Array =>
  Buffer.concat([varint(BigInt((field << 3) | BYTES)), varint(BigInt(value.length)), value]);

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest < 0x80n) return Uint8Array.from([...bytes, low]);
    bytes.push(low | 0x80);
  }
}

interface Field {
  readonly field: number;
  readonly number: bigint;
  readonly bytes: Uint8Array;
}

const NO_BYTES = new Uint8Array();

/** The fields of a message, in order; `undefined` when it is cut off or no message. */
function readFields(bytes: Uint8Array): readonly Field[] | undefined {
  const fields: Field[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = readVarint(bytes, at);
    if (tag === undefined) return undefined;
    const field = Number(tag.value >> 3n);
    const type = Number(tag.value & 7n);
    const value = type === VARINT || type === BYTES ? readVarint(bytes, tag.end) : undefined;
    const size = type === FIXED_64 ? 8 : type === FIXED_32 ? 4 : type === BYTES ? Number(value?.value) : 0;
    const begin = value?.end ?? tag.end;
    const isKnown = value !== undefined || type === FIXED_64 || type === FIXED_32;
    if (field === 0 || !isKnown || !(begin + size <= bytes.length)) return undefined;
    at = begin + size;
    fields.push({
      field,
      number: type === VARINT && value !== undefined ? value.value : 0n,
      bytes: type === BYTES ? bytes.subarray(begin, at) : NO_BYTES,
    });
  }
  return fields;
}

const LONGEST_VARINT = 10;

function readVarint(
  bytes: Uint8Array,
  from: number,
): { readonly value: bigint; readonly end: number } | undefined {
  let value = 0n;
  for (let index = 0; index < LONGEST_VARINT; index += 1) {
    const byte = bytes[from + index];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: from + index + 1 };
  }
  return undefined;
}
