import { crc32, deflateSync } from "node:zlib";

/** A PNG of one grey pixel, or one whose header says that it is larger. */
export function smallPng(
  size: { readonly width: number; readonly height: number } = { width: 1, height: 1 },
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size.width, 0);
  header.writeUInt32BE(size.height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const mark = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    mark,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.from([0, 128]))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
