import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LineClient } from "./line-client.ts";

/** An agent that is measured, as a file of peers says it. */
export interface Peer {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files of its home, by their path in it. */
  readonly files?: Readonly<Record<string, string>>;
  /** The way of signing in that it asks for before a session. */
  readonly authenticate?: string;
  /** A call of its tool for the shell that does nothing. */
  readonly shell?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

/** Milliseconds of a turn: until its first text, and until it is over. */
export interface TurnTimes {
  readonly first: number;
  readonly total: number;
}

/** A process of a peer, on a home of its own unless another one's is given. */
export interface PeerProcess {
  readonly client: LineClient;
  readonly home: string;
  readonly cwd: string;
  /** When it was started, and the milliseconds until it answered for the first time. */
  readonly began: number;
  readonly greeted: number;
}

/** What is asked where nothing depends on it. */
export const HI = "hi";
/** The text of the model. */
const TEXT = /\bword\b|@\d/;

/** Where all homes lie. */
export const top = mkdtempSync(join(tmpdir(), "agent-bench-"));

/** Starts a peer on a model, and greets it. */
export async function startPeer(peer: Peer, url: string, known?: string): Promise<PeerProcess> {
  const home = known ?? mkdtempSync(join(top, "home-"));
  const cwd = join(home, "work");
  mkdirSync(cwd, { recursive: true });
  const filled = (text: string): string =>
    text.replaceAll("{url}", url).replaceAll("{host}", url.replace(/\/v1$/, "")).replaceAll("{home}", home);
  for (const [path, text] of Object.entries(peer.files ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), filled(text));
  }
  const own = Object.entries(peer.env ?? {}).map(([name, value]) => [name, filled(value)]);
  const env = { PATH: process.env["PATH"], TERM: "dumb", HOME: home, ...Object.fromEntries(own) };
  const began = performance.now();
  const client = new LineClient(env, peer.command.map(filled), "ignore");
  await client.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const greeted = performance.now() - began;
  if (peer.authenticate !== undefined) await client.request("authenticate", { methodId: peer.authenticate });
  return { client, home, cwd, began, greeted };
}

/** Takes a turn in a session. */
export async function takeTurn(client: LineClient, sessionId: string, text = HI): Promise<TurnTimes> {
  const asked = performance.now();
  let first = Number.NaN;
  client.onUpdate = ({ sessionUpdate, content }) => {
    // Some say something of their own before the model is even asked.
    const isText = sessionUpdate === "agent_message_chunk" && TEXT.test(content?.text ?? "");
    if (isText && Number.isNaN(first)) first = performance.now() - asked;
  };
  await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  return { first, total: performance.now() - asked };
}

/** Gives up on a peer that hangs. */
export async function within<T>(work: Promise<T>, seconds = 60): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nothing in ${seconds} s`)), seconds * 1000);
  return await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
