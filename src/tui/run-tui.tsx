import { render } from "ink";
import type { Readable } from "node:stream";
import type { Gateway } from "./gateway.ts";
import type { Keep } from "./keep.ts";
import { Screen, type TerminalOutput } from "./screen.ts";
import type { FirstSession } from "./session-desk.ts";
import { appState } from "./state/app-state.ts";
import { Store } from "./store.ts";
import { loadColours } from "./text/code.ts";
import { backgroundOf, colourDepth, isAscii, makeTheme, type Theme } from "./text/theme.ts";
import { Tui } from "./tui.ts";
import { App } from "./view/app.tsx";

export interface TuiOptions {
  /** Connects to the gateway; called when the first frame is drawn. */
  readonly gateway: () => Gateway & { close(): Promise<void> };
  readonly stdin: Readable;
  readonly stdout: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home folder, for shorter paths; empty when it is not known. */
  readonly home: string;
  readonly keep: Keep;
  readonly session: FirstSession;
  /** Lets the person edit a text in another program; `undefined` when nothing came of it. */
  readonly edit: (text: string) => Promise<string | undefined>;
  /** Aborts when the client must end. */
  readonly signal: AbortSignal;
}

/**
 * Runs the client on a terminal until the person leaves. The terminal is as it was afterwards.
 *
 * @returns the session that was shown last and has a conversation
 */
export async function runTui(options: TuiOptions): Promise<string | undefined> {
  const { env, keep } = options;
  const { columns = 80, rows = 24 } = options.stdout;
  const store = new Store(appState({ size: { columns, rows }, now: Date.now(), history: [] }));
  const theme = themeOf(store, env);
  const resized = (): void => store.update({ size: { columns: screen.columns, rows: screen.rows } });
  const screen = new Screen(options.stdout, { theme, resized });
  const tui = new Tui({ ...options, store, screen });
  const app = (
    <App
      store={store}
      theme={theme}
      home={options.home}
      onKey={tui.key}
      onPaste={tui.paste}
      screen={screen}
    />
  );
  const ink = render(app, {
    // What Ink needs of these streams is what they have; its types name the process's own.
    stdout: screen as unknown as NodeJS.WriteStream,
    stdin: options.stdin as unknown as NodeJS.ReadStream,
    exitOnCtrlC: false,
    patchConsole: false,
    // It prints what is finished and reads the keys; the frame is the screen's.
    interactive: false,
  });
  await ink.waitUntilRenderFlush();
  const [history, draft] = await Promise.all([keep.history(), keep.draft()]);
  const gateway = options.gateway();
  // At once: what it says first must not be missed.
  tui.start(gateway, { history, draft });
  void loadColours();
  await tui.left;
  screen.close();
  ink.unmount();
  await ink.waitUntilExit();
  await gateway.close();
  const { session } = store.state.view;
  return session !== undefined && session.usage.calls > 0 ? session.id : undefined;
}

/** The look of the terminal's environment, in the accent that the gateway's skin names. */
function themeOf(store: Store, env: TuiOptions["env"]): () => Theme {
  const options = { depth: colourDepth(env), background: backgroundOf(env), ascii: isAscii(env) };
  let accent: string | undefined;
  let theme = makeTheme(options);
  return () => {
    const { skin } = store.state.view;
    // The skin that nobody chose knows nothing of this terminal's background.
    const wanted = skin?.name === "agent" ? undefined : skin?.colors["ui_accent"];
    if (wanted !== accent) theme = makeTheme({ ...options, accent: wanted });
    accent = wanted;
    return theme;
  };
}
