import { inflateRawSync } from "node:zlib";
import { toolFailed } from "../../../shared/errors/host-error.ts";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const MOST_ENTRIES = 10_000;
/** The end record, with the longest comment behind it. */
const END_WITHIN = 22 + 0xffff;

/**
 * Unpacks what a ZIP file holds, to see that it is no more than it may be; who reads it next would unpack all of it.
 *
 * @throws HostError `tool_failed` for what is damaged, locked, or holds too much, or entities that grow when they are read
 */
export function checkZip(bytes: Uint8Array, most: number): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let left = most;
  for (const packed of entriesOf(file)) {
    const content = unpacked(packed, left, most);
    left -= content.length;
    if (packed.name.endsWith(".xml") && content.includes("<!DOCTYPE") && content.includes("<!ENTITY"))
      throw toolFailed(`${packed.name} in it declares entities, which can grow without end`);
  }
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly data: Buffer;
}

function* entriesOf(file: Buffer): Generator<Entry, void, undefined> {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(END);
  const tail = file.subarray(Math.max(0, file.length - END_WITHIN));
  const end = tail.lastIndexOf(signature);
  if (end < 0 || tail.length < end + 22) throw damaged();
  const count = tail.readUInt16LE(end + 10);
  if (count > MOST_ENTRIES) throw toolFailed(`it holds ${count} files; at most ${MOST_ENTRIES} are read`);
  let at = tail.readUInt32LE(end + 16);
  for (let nth = 0; nth < count; nth += 1) {
    if (at + 46 > file.length || file.readUInt32LE(at) !== ENTRY) throw damaged();
    if ((file.readUInt16LE(at + 8) & 1) === 1) throw toolFailed("it needs a password");
    const [names, extra, comment] = [28, 30, 32].map((place) => file.readUInt16LE(at + place));
    const [size, local] = [file.readUInt32LE(at + 20), file.readUInt32LE(at + 42)];
    if (local + 30 > file.length) throw damaged();
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const name = file.toString("utf8", at + 46, at + 46 + (names ?? 0));
    yield { name, method: file.readUInt16LE(at + 10), data: file.subarray(start, start + size) };
    at += 46 + (names ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
}

function unpacked({ name, method, data }: Entry, left: number, most: number): Buffer {
  const tooMuch = () => toolFailed(`it unpacks to more than ${Math.round(most / 2 ** 20)} MB`);
  if (method === 0) {
    if (data.length > left) throw tooMuch();
    return data;
  }
  if (method !== 8) throw toolFailed(`${name} in it is packed in a way that is not read here`);
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, left) });
  } catch (thrown) {
    const isLarge = thrown instanceof Error && "code" in thrown && thrown.code === "ERR_BUFFER_TOO_LARGE";
    throw isLarge ? tooMuch() : damaged(thrown);
  }
}

const damaged = (cause?: unknown) => toolFailed("it is damaged", cause);
