/** A frame as Feishu's own SDKs write it, by hand: the fake knows nothing of the code that it tests. */
export interface WireFrame {
  readonly service: number;
  readonly method: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

const size = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...size(Math.floor(value / 128))];
const block = (tag: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag, ...size(bytes.length)]), bytes]);

export function wireOf({ service, method, headers, payload }: WireFrame): Buffer {
  const pairs = Object.entries(headers).map(([key, value]) =>
    block(0x2a, Buffer.concat([block(0x0a, Buffer.from(key)), block(0x12, Buffer.from(value))])),
  );
  const numbers = Buffer.from([0x08, 0, 0x10, 0, 0x18, ...size(service), 0x20, method]);
  return Buffer.concat([numbers, ...pairs, block(0x42, payload)]);
}

export function readWire(bytes: Buffer): WireFrame {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  const frame = { service: 0, method: 0, headers: {} as Record<string, string>, payload: Buffer.alloc(0) };
  const chunk = (): Buffer => {
    const length = number();
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = bytes[at++];
    if (tag === 0x18) frame.service = number();
    else if (tag === 0x20) frame.method = number();
    else if (tag === 0x08 || tag === 0x10) number();
    else if (tag === 0x2a) {
      const pair = chunk();
      const length = pair[1] ?? 0;
      // Keys and values of this protocol are short.
      frame.headers[String(pair.subarray(2, 2 + length))] = String(pair.subarray(4 + length));
    } else if (tag === 0x42) frame.payload = Buffer.from(chunk());
    else chunk();
  }
  return frame;
}
