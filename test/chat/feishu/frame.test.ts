import { expect, test } from "vitest";
import { decodeFrame, encodeFrame, headerOf } from "../../../src/chat/feishu/frame.ts";
import { Segments } from "../../../src/chat/feishu/segments.ts";

/** `SeqID` 1, `LogID` 300, `service` 2, `method` 1, a header `type: event`, the payload `{}`; written by hand. */
const BYTES = Uint8Array.from([
  0x08, 0x01, 0x10, 0xac, 0x02, 0x18, 0x02, 0x20, 0x01, 0x2a, 0x0d, 0x0a, 0x04, 0x74, 0x79, 0x70, 0x65, 0x12,
  0x05, 0x65, 0x76, 0x65, 0x6e, 0x74, 0x42, 0x02, 0x7b, 0x7d,
]);
const FRAME = {
  seqId: 1n,
  logId: 300n,
  service: 2,
  method: 1,
  headers: [["type", "event"]] as const,
  payload: Buffer.from("{}"),
};

test("a frame is what its bytes say, both ways", () => {
  const read = decodeFrame(BYTES);
  expect(read).toMatchObject({ ...FRAME, payload: expect.any(Uint8Array) });
  expect(Buffer.from(read?.payload ?? [])).toEqual(FRAME.payload);
  expect(Buffer.from(encodeFrame(FRAME))).toEqual(Buffer.from(BYTES));
  expect(read && headerOf(read, "type")).toBe("event");
  expect(read && headerOf(read, "other")).toBe("");
});

test("numbers of 64 bits, negative ones, and the fields after the payload come through", () => {
  const whole = {
    ...FRAME,
    seqId: 2n ** 64n - 1n,
    service: -1,
    payloadEncoding: "gzip",
    payloadType: "json",
    logIdNew: "0123",
  };
  expect(decodeFrame(encodeFrame(whole))).toMatchObject({ ...whole, payload: expect.any(Uint8Array) });
});

test("fields that are not known are passed over", () => {
  const more = [0x78, 0x05, 0x7d, 1, 2, 3, 4, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7a, 0x01, 0x61];
  expect(decodeFrame(Uint8Array.from([...more, ...BYTES]))).toMatchObject({ logId: 300n, method: 1 });
});

test.each([
  ["cut off", BYTES.subarray(0, -1)],
  ["with a number that does not end", Uint8Array.from([0x08, ...Array<number>(11).fill(0x80)])],
  ["with a length beyond its end", Uint8Array.from([0x42, 0xff, 0xff, 0xff, 0xff, 0x7f])],
  ["with a group", Uint8Array.from([0x0b])],
  ["with field 0", Uint8Array.from([0x00, 0x01])],
])("a frame %s is none", (_what, bytes) => {
  expect(decodeFrame(bytes)).toBeUndefined();
});

const part = (id: string, [seq, sum]: readonly [number, number], text: string) => ({
  ...FRAME,
  headers: [
    ["message_id", id],
    ["sum", String(sum)],
    ["seq", String(seq)],
  ] as const,
  payload: Buffer.from(text),
});

test("payloads in several frames are put together in their order, each for itself", () => {
  const segments = new Segments();
  expect(segments.add(part("a", [1, 2], "two"))).toBeUndefined();
  expect(segments.add(part("b", [0, 3], "x"))).toBeUndefined();
  expect(String(segments.add(part("a", [0, 2], "one-")))).toBe("one-two");
  expect(String(segments.add(part("c", [0, 1], "alone")))).toBe("alone");
  expect(segments.add(part("b", [7, 3], "z"))).toBeUndefined();
  expect(segments.add(part("b", [1, 3], "y"))).toBeUndefined();
  expect(String(segments.add(part("b", [2, 3], "z")))).toBe("xyz");
});

test("payloads that never become whole do not pile up", () => {
  const segments = new Segments();
  for (let index = 0; index < 200; index += 1) segments.add(part(`m${index}`, [0, 2], "x"));
  expect(segments.add(part("m0", [1, 2], "y"))).toBeUndefined();
  expect(String(segments.add(part("m199", [1, 2], "y")))).toBe("xy");
  expect(segments.add(part("huge", [0, 1_000_000], "x"))).toBeUndefined();
});
