import { render } from "ink";
import { systemClock } from "../shared/async/clock.ts";
import { waitAtMost } from "../shared/async/deadline.ts";
import type { Gateway } from "./gateway.ts";
import { Screen } from "./terminal/screen.ts";
import { sizeOf, type TerminalOutput } from "./terminal/terminal-output.ts";
import { type AppState, appState } from "./state/app-state.ts";
import { ViewStore } from "./view-store.ts";
import { goodbyeOf, lookOf } from "./look.ts";
import { type LeftSession, leftSession } from "./state/left-session.ts";
import { loadColours } from "./text/code.ts";
import { isAscii } from "./text/environment.ts";
import { line } from "./text/line.ts";
import { TerminalInput, type TerminalKeys } from "./terminal/terminal-input.ts";
import { TerminalControl } from "./terminal/terminal-control.ts";
import { Tui, type TuiParts } from "./tui.ts";
import { App } from "./view/app.tsx";

/** Options of the terminal client. */
export interface TuiOptions extends Omit<TuiParts, "store" | "screen" | "control"> {
  /** Connects to the gateway; called when the first frame is drawn. */
  readonly gateway: () => Gateway & { close(): Promise<void> };
  readonly stdin: TerminalKeys;
  readonly stdout: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home folder, for shorter paths; empty when it is not known. */
  readonly home: string;
  /** The session that is shown from now on, which has a conversation: how to go on is said even after a crash. */
  readonly onShown: (id: string) => void;
}

/** Half an answer is printed within this before the client leaves, in milliseconds: a terminal may be gone. */
const PRINT_MS = 500;

/**
 * Runs the client on a terminal until the person leaves. The terminal is as it was afterwards.
 *
 * @returns the session that was shown last and has a conversation
 */
export async function runTui(options: TuiOptions): Promise<LeftSession | undefined> {
  const { env, drafts } = options;
  const store = new ViewStore(firstState(options));
  const theme = lookOf(store, env);
  const resized = (): void => store.update({ size: { columns: screen.columns, rows: screen.rows } });
  const screen = new Screen(options.stdout, { theme, resized });
  const control = new TerminalControl({
    write: (text) => void screen.write(text),
    name: env["TERM"] ?? "",
    ascii: isAscii(env),
    onBackground: (background) => store.update({ background }),
    onReceipt: screen.receipt,
    onAnswered: screen.noReceipt,
  });
  const keys = new TerminalInput(options.stdin, {
    onReply: control.heard,
    isReceiptDue: () => screen.isReceiptDue,
  });
  const tui = new Tui({ ...options, store, screen, control });
  const app = (
    <App
      store={store}
      theme={theme}
      home={options.home}
      onKey={tui.key}
      onPaste={tui.paste}
      screen={screen}
      onTakenBack={tui.takenBack}
    />
  );
  // Before anything is drawn: an Enter that comes earlier is made a line feed by the terminal's driver.
  keys.setRawMode(true);
  const ink = render(app, {
    // What Ink needs of these streams is what they have; its types name the process's own.
    stdout: screen as unknown as NodeJS.WriteStream,
    stdin: keys as unknown as NodeJS.ReadStream,
    exitOnCtrlC: false,
    patchConsole: false,
    // It prints what is finished and reads the keys; the frame is the screen's.
    interactive: false,
  });
  await ink.waitUntilRenderFlush();
  if (!control.isDeaf) screen.askForReceipts();
  control.begin();
  const history = await drafts.history();
  const gateway = options.gateway();
  // At once: what it says first must not be missed.
  tui.start(gateway, history);
  // Where they cannot be loaded, code is shown without.
  loadColours().catch(() => undefined);
  store.subscribe(() => {
    const id = leftSession(store.state.view)?.id;
    if (id !== undefined) options.onShown(id);
  });
  const left = await lastShown(store, tui.left);
  const goodbye = goodbyeOf(store.state.view.skin);
  if (goodbye !== "") screen.write(`\n${theme().ansi(line(goodbye, "dim"))}\n`);
  // While the keys are still read: what the terminal says late is not left for the shell.
  await screen.close();
  await control.end();
  ink.unmount();
  await ink.waitUntilExit();
  await gateway.close();
  return left;
}

const firstState = ({ stdout, env }: Pick<TuiOptions, "stdout" | "env">): AppState =>
  appState({
    size: sizeOf(stdout),
    now: Date.now(),
    history: [],
    inTmux: (env["TMUX"] ?? "") !== "",
  });

/** Waits until the client leaves, and prints what is still growing: half an answer stays on the screen. */
async function lastShown(store: ViewStore, leaves: Promise<void>): Promise<LeftSession | undefined> {
  await leaves;
  const left = leftSession(store.state.view);
  store.dispatch({ type: "leaving", at: Date.now() });
  // A terminal that is gone takes none.
  await waitAtMost({ clock: systemClock, ms: PRINT_MS }, (signal) =>
    store.until(({ view }) => view.finished.length === 0, signal),
  );
  return left;
}
