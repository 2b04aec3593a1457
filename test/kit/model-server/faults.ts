import type { Frame, ServerDialect } from "./dialect.ts";
import { BREAKS, type Fault, type FaultName, type Position } from "./reply.ts";

/** What is written, in order; a `fault` stands where it happens. */
export type Output =
  | { readonly type: "head" }
  | { readonly type: "bytes"; readonly bytes: Buffer }
  | { readonly type: "fault"; readonly name: FaultName };

const HUGE = 20 * 2 ** 20;

/** The outputs of a streamed answer with its fault put into it. */
export function withFault(
  frames: readonly Frame[],
  fault: Fault | undefined,
  dialect: ServerDialect,
): readonly Output[] {
  const bytes = frames.map(({ text }): Output => ({ type: "bytes", bytes: Buffer.from(text) }));
  const head: Output = { type: "head" };
  if (fault === undefined) return [head, ...bytes];
  const happening = happen(fault.name, dialect);
  const isBreak = BREAKS.some((name) => name === fault.name) || fault.name === "bad-chunk";
  switch (fault.at) {
    case "before-headers":
      // Nothing can intrude before there is an answer.
      return isBreak ? [...happening, head, ...bytes] : [head, ...happening, ...bytes];
    case "after-headers":
      return [head, ...happening, ...bytes];
    default: {
      const { index, within } = placeOf(frames, fault.at);
      const broken = frames[index];
      // What breaks an answer does it in the middle of a frame; what intrudes comes between two.
      if (!within || !isBreak || broken === undefined) {
        return [head, ...bytes.slice(0, index), ...happening, ...bytes.slice(index)];
      }
      const [before, after] = halves(Buffer.from(broken.text));
      return [head, ...bytes.slice(0, index), before, ...happening, after, ...bytes.slice(index + 1)];
    }
  }
}

/** The outputs of an answer in one piece with its fault put into it: places are shares of its bytes. */
export function wholeWithFault(body: Buffer, fault: Fault | undefined): readonly Output[] {
  const head: Output = { type: "head" };
  const bytes = (from: number, to: number): Output => ({ type: "bytes", bytes: body.subarray(from, to) });
  if (fault === undefined) return [head, bytes(0, body.length)];
  const happening: Output = { type: "fault", name: fault.name };
  if (fault.at === "before-headers") return [happening, head, bytes(0, body.length)];
  const at = Math.floor(body.length * SHARES[fault.at]);
  return [head, bytes(0, at), happening, bytes(at, body.length)];
}

const SHARES: Readonly<Record<Exclude<Position, "before-headers">, number>> = {
  "after-headers": 0,
  "first-token": 0.3,
  "mid-word": 0.5,
  "mid-arguments": 0.6,
  "before-usage": 0.8,
  "after-usage": 1,
};

/** Before which frame something happens, and whether that frame is torn by it. */
function placeOf(
  frames: readonly Frame[],
  at: Position,
): { readonly index: number; readonly within: boolean } {
  const places = frames.map(({ place }) => place);
  const orEnd = (index: number): number => (index < 0 ? places.indexOf("done") : index);
  const said = places.flatMap((place, index) => (place === "text" || place === "reasoning" ? [index] : []));
  const called = places.flatMap((place, index) => (place === "call" ? [index] : []));
  switch (at) {
    case "before-headers":
    case "after-headers":
      return { index: 0, within: false };
    case "first-token":
      return { index: (said[0] ?? 0) + 1, within: false };
    case "mid-word":
      return { index: said[1] ?? said[0] ?? 0, within: true };
    case "mid-arguments":
      return called.length === 0
        ? { index: (said.at(-1) ?? 0) + 1, within: false }
        : { index: called[1] ?? 0, within: true };
    case "before-usage":
      return { index: orEnd(places.indexOf("usage")), within: false };
    case "after-usage":
      return { index: places.indexOf("done"), within: false };
  }
}

function halves(bytes: Buffer): readonly [Output, Output] {
  const middle = bytes.length >> 1;
  return [
    { type: "bytes", bytes: bytes.subarray(0, middle) },
    { type: "bytes", bytes: bytes.subarray(middle) },
  ];
}

function happen(name: FaultName, dialect: ServerDialect): readonly Output[] {
  const intruder = intruderOf(name, dialect);
  return intruder === undefined
    ? [{ type: "fault", name }]
    : [{ type: "bytes", bytes: Buffer.from(intruder) }];
}

function intruderOf(name: FaultName, dialect: ServerDialect): string | Uint8Array | undefined {
  switch (name) {
    case "noise-line":
      return "lorem ipsum\n\n";
    case "garbage-data":
      return "data: %$&/()=\n\n";
    case "truncated-json":
      return 'data: {"choices":[{"index":0,"del\n\n';
    case "invalid-utf8":
      return Buffer.concat([
        Buffer.from(": "),
        Buffer.from([0xff, 0xc3, 0x28, 0xf0, 0x9f]),
        Buffer.from("\n\n"),
      ]);
    case "huge-line":
      return Buffer.concat([Buffer.from("data: "), Buffer.alloc(HUGE, "x"), Buffer.from("\n\n")]);
    case "unknown-event":
      return 'event: ping\ndata: {"type":"ping"}\n\n';
    case "error-event":
      return dialect.errorFrame({
        message: "The engine is overloaded, please try again later",
        type: "server_error",
        code: 503,
      });
    case "comments":
      return ": keep-alive\n\n".repeat(1000);
    case "reset":
    case "stall":
    case "half-close":
    case "cut":
    case "bad-chunk":
    case "trickle":
      return undefined;
  }
}
