import { getCompileCacheDir } from "node:module";
import { join } from "node:path";
import type { main, withoutLateFlags } from "../main.ts";
import { ScriptLoader } from "./script-loader.ts";

/** Milliseconds after which a process has started: what it has compiled is kept then, so that it need not end well for that. */
const STARTED_MS = 5_000;
/** Milliseconds after which it has worked, too. Later V8 forgets functions that ran at the start alone. */
const WORKED_MS = 60_000;

/** What the command's first script exports. */
interface Command {
  readonly main: typeof main;
  readonly withoutLateFlags: typeof withoutLateFlags;
}

/** The commands that have a pack of their own; all others share one, as words that are no command do. */
const OWN_PACK = /^(?:acp|attach|dashboard|gateway|rpc|run)$/;

function packOf([first = ""]: readonly string[]): string {
  // What only says something about the program loads little.
  if (/^(?:--version|-V|--help|-h)$/.test(first)) return "help";
  if (/^(?:-.*|.*\s.*)?$/s.test(first)) return "terminal";
  return OWN_PACK.test(first) ? first : "others";
}

/**
 * Loads the command.
 *
 * @param folder - that of its scripts
 * @param argv - its arguments
 */
export function loadCommand(folder: string, argv: readonly string[]): Pick<Command, "main"> {
  const caches = getCompileCacheDir();
  const place = folder.replaceAll(/[^\w.-]+/g, "_").slice(-120);
  const loader = new ScriptLoader(folder, caches && join(caches, `agent${place}`, packOf(argv)));
  setTimeout(() => loader.keep(), STARTED_MS).unref();
  setTimeout(() => loader.keepLast(), WORKED_MS).unref();
  process.once("exit", () => {
    // Whoever ends a longer one does not wait for it.
    if (loader.hasKept) return;
    // A person who presses Ctrl-C once more than it takes does not cut it off.
    process.on("SIGINT", () => undefined);
    loader.keep({ isEnd: true });
  });
  const command = loader.load("main.cjs") as unknown as Command;
  loader.withFlagsOfStart = command.withoutLateFlags;
  return command;
}
