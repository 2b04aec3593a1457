import type { Toolset } from "../../core/index.ts";
import type { Kb } from "../../providers/kb/index.ts";
import { kbToolset, type KbToolsetOptions } from "../../providers/kb/toolset.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { toolOutputLimit } from "../toolsets.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { documentsOfHome, sharedDocuments } from "./known-documents.ts";

/** The knowledge base of a process: nothing of it is loaded before somebody uses it. */
export interface HomeKb extends AsyncDisposable {
  /** Opens it, or gives the one that is open. */
  open(): Promise<Kb>;
  /** Resolves when it is known whether there are documents. */
  ready(): Promise<void>;
  /** Whether there is a document that can be searched. */
  hasDocuments(): boolean;
  /** Its tools, while there is a document that they find. */
  toolsets(): readonly Toolset[];
}

const NONE: readonly Toolset[] = [];

/** The documents of a home for its sessions. */
export function homeKb(live: LiveSettings, clock: Clock): HomeKb {
  const {
    paths: { home },
    store: { url },
  } = live.current;
  let opened: Promise<Kb> | undefined;
  const open = (): Promise<Kb> => {
    opened ??= import("../../providers/kb/index.ts").then(({ openKb }) => openKb({ home, url, clock }));
    return opened;
  };
  const known =
    url === undefined
      ? documentsOfHome(home)
      : sharedDocuments(async () => (await open()).hasDocuments(), clock);
  const kb = {
    search: async (...query: Parameters<Kb["search"]>) => (await open()).search(...query),
    passage: async (...wish: Parameters<Kb["passage"]>) => (await open()).passage(...wish),
  };
  // A session searches what its persona of this turn may; without one that says so, everything.
  const collectionsOf: KbToolsetOptions["collectionsOf"] = ({ persona }) => persona?.collections;
  const tools = [kbToolset({ kb, collectionsOf, outputLimit: toolOutputLimit(live) })];
  return {
    open,
    ready: () => known.ready(),
    hasDocuments: () => known.some(),
    toolsets: () => (known.some() ? tools : NONE),
    async [Symbol.asyncDispose]() {
      known[Symbol.dispose]();
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}
