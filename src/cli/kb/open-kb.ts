import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isAddress, type Source } from "../../automation/sources/index.ts";
import { type Agent, openAgent } from "../../app/compose.ts";
import { type HomeSources, homeSources } from "../../app/kb/home-sources.ts";
import type { Io } from "../../app/process/io.ts";
import { onSignals } from "../../app/process/signals.ts";
import { AuditLog } from "../../dashboard/index.ts";
import type { Kb } from "../../providers/kb/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { visibleInLine } from "../../shared/text/visible.ts";

/** The knowledge base for one command. */
export interface KbAtHand extends HomeSources {
  readonly agent: Agent;
  readonly kb: Kb;
  /** Aborts when the command is interrupted. */
  readonly signal: AbortSignal;
  /** Notes a change in the audit log. */
  note(action: string, subject: string, after?: unknown): Promise<void>;
}

/** Opens the knowledge base of a home for one command. */
export async function withKb<T>(io: Io, use: (kb: KbAtHand) => Promise<T>): Promise<T> {
  await using agent = await openAgent(io, { resident: false });
  const life = new AbortController();
  using stack = new DisposableStack();
  stack.use(onSignals(io, ["SIGINT", "SIGTERM"], () => life.abort()));
  const audit = new AuditLog(agent.store.records, agent.host.services);
  return await use({
    ...homeSources(agent),
    agent,
    kb: await agent.kb.open(),
    signal: life.signal,
    note: (action, subject, after) =>
      audit.note({
        who: "operator",
        from: "this machine",
        action,
        subject,
        ...(after !== undefined && { after }),
      }),
  });
}

/** A thing of the knowledge base that somebody has named. */
export type KbThing =
  | { readonly kind: "document"; readonly id: string }
  | { readonly kind: "source"; readonly source: Source }
  | { readonly kind: "collection"; readonly name: string };

/** Finds what a word means: an id, a collection, a path or an address. @throws HostError `not_found`, `conflict` */
export async function kbThing(
  word: string,
  { kb, sources }: KbAtHand,
  io: Pick<Io, "cwd">,
): Promise<KbThing> {
  const all = await sources.list();
  const byId = all.find(({ id }) => id === word);
  if (byId !== undefined) return { kind: "source", source: byId };
  const documents = await kb.documents();
  if (documents.some(({ id }) => id === word)) return { kind: "document", id: word };
  if ([...documents, ...all].some(({ collection }) => collection === word))
    return { kind: "collection", name: word };
  const place = isAddress(word) ? word : resolve(io.cwd, word);
  const source = all.find(({ location }) => location === place || location === word);
  if (source !== undefined) return { kind: "source", source };
  const found = documents.filter(({ origin, name }) => origin === place || name === word);
  const [only, other] = found;
  if (only !== undefined && other === undefined) return { kind: "document", id: only.id };
  if (only === undefined)
    throw new HostError(
      "not_found",
      `The knowledge base has no document, source or collection ${visibleInLine(word)}. \`agent kb list\` lists what there is.`,
    );
  const ids = found.map(({ id, collection }) => `${id} (${collection})`).join(", ");
  throw new HostError(
    "conflict",
    `${visibleInLine(word)} stands for several documents: ${ids}. Name one by its id.`,
  );
}

/** Finds the one document that a word means; gives its id. @throws HostError `not_found`, `conflict` */
export async function documentNamed(word: string, at: KbAtHand, io: Pick<Io, "cwd">): Promise<string> {
  const found = await kbThing(word, at, io);
  if (found.kind === "document") return found.id;
  // A file or an address is a source and its one document.
  const own = found.kind === "source" ? await at.kb.known(found.source.id) : [];
  const [only, other] = own;
  if (only !== undefined && other === undefined) return only.id;
  throw new HostError(
    "not_found",
    `${visibleInLine(word)} is a ${found.kind}. \`agent kb list\` lists its documents with their ids.`,
  );
}

/** Whether a path is a folder. */
export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;
