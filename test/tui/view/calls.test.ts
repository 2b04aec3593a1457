import { expect, test } from "vitest";
import type { GatewayEvent } from "../../../src/tui/gateway.ts";
import { appState } from "../../../src/tui/state/app-state.ts";
import { attachView } from "../../../src/tui/state/attach.ts";
import { DEFAULT_DISPLAY } from "../../../src/tui/state/display-settings.ts";
import { reduceEvent } from "../../../src/tui/state/reduce-event.ts";
import { EMPTY_VIEW, type ViewState } from "../../../src/tui/state/view-state.ts";
import { entryLines } from "../../../src/tui/view/entry-lines.ts";
import { liveLines } from "../../../src/tui/view/live-lines.ts";
import { lineText } from "../line-text.ts";

const DISPLAY = { columns: 80, display: DEFAULT_DISPLAY };

const after = (
  events: readonly (readonly [number, GatewayEvent])[],
  view: ViewState = EMPTY_VIEW,
): ViewState => events.reduce((state, [at, event]) => reduceEvent(state, event, at), view);

const printed = ({ finished }: ViewState): readonly string[] =>
  finished.flatMap(({ entry }) => entryLines(entry, DISPLAY)).map((each) => lineText(each).trimEnd());

const started = (name: string, kind: string): GatewayEvent => ({
  type: "tool.start",
  payload: { tool_id: "c1", name, context: `${name} it`, kind, args: {} },
});

const ended = (name: string, more: { readonly summary?: string; readonly result: string }): GatewayEvent => ({
  type: "tool.complete",
  payload: { tool_id: "c1", name, args: {}, outcome: "ok", duration_s: 0, ...more },
});

const LONG = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");

test("what the model looked up is counted, what a command put out is shown", () => {
  const read = after([
    [0, started("read", "read")],
    [0, ended("read", { summary: "100 lines", result: LONG })],
  ]);
  expect(printed(read)).toEqual(["✓ read it 100 lines"]);
  expect(read.details[0]?.text).toContain("line 50");
  const ran = after([
    [0, started("terminal", "execute")],
    [0, ended("terminal", { result: LONG })],
  ]);
  expect(printed(ran).at(-1)).toBe("  │ line 99");
});

test("a call that waits to be allowed does not count seconds; they begin when it is allowed", () => {
  const question: GatewayEvent = {
    type: "approval.request",
    payload: {
      request_id: "r1",
      command: "make",
      description: "",
      pattern_key: "",
      pattern_keys: [],
      covers: [],
      choices: ["once", "deny"],
      allow_permanent: false,
      allow_session: false,
      tool_name: "terminal",
      tool_id: "c1",
      timeout_s: 300,
    },
  };
  const title = (view: ViewState, now: number): string | undefined =>
    liveLines(view, { ...DISPLAY, rows: 20, now })
      .map((each) => lineText(each))
      .find((each) => each.includes("terminal it"));
  const waits = after([
    [0, started("terminal", "execute")],
    [0, question],
  ]);
  expect(title(waits, 60_000)).toBe("◆ terminal it");
  const resolved = { request_id: "r1", outcome: "answered", choice: "once" } as const;
  const runs = after([[60_000, { type: "approval.resolved", payload: resolved }]], waits);
  expect(title(runs, 63_000)).toMatch(/^[^◆] terminal it 3\.0 s$/);
});

test("what is taken back names the files that stay changed, as one would name them in the folder", () => {
  const session = { id: "s", info: { cwd: "/w" } } as unknown as ViewState["session"];
  const files = ["/w/a.ts", "/elsewhere/b.ts", "/w/c", "/w/d", "/w/e", "/w/f", "/w/g"];
  const undo = (changed: string[]): GatewayEvent => ({
    type: "history.changed",
    payload: { reason: "undo", turns: 1, files: changed },
  });
  const said = printed(after([[0, undo(files)]], { ...EMPTY_VIEW, session })).join(" ");
  expect(said.replaceAll(/\s+/g, " ")).toBe(
    "· Took back 1 turn. Left changed: a.ts, /elsewhere/b.ts, c, d, e and 2 more. /diff shows how, /rewind puts files back.",
  );
  expect(printed(after([[0, undo([])]]))).toEqual(["· Took back 1 turn. Files stay as they are."]);
});

test("a session that is resumed says why a call of it failed", () => {
  const { view } = appState({ size: { columns: 80, rows: 24 }, now: 0, history: [] });
  const messages = (["error", "ok"] as const).map((outcome, index) => ({
    role: "tool" as const,
    name: "read",
    context: `Read ${outcome}.ts`,
    outcome,
    result_text: `What came of ${outcome}`,
    row_id: index,
    timestamp: 0,
  }));
  const attached = {
    session_id: "s",
    info: { usage: {} },
    messages,
    message_count: 2,
    running: false,
    inflight: null,
    open_requests: [],
  } as unknown as Parameters<typeof attachView>[1];
  const lines = printed(attachView(view, attached, { print: true, at: 0 }));
  expect(lines.join("\n")).toContain("✗ Read error.ts\n  │ What came of error\n✓ Read ok.ts");
});

test("output is broken between words, and its spaces stay", () => {
  const words = `${"word ".repeat(15)}together\n    in     columns`;
  const lines = printed(
    after([
      [0, started("terminal", "execute")],
      [0, ended("terminal", { result: words })],
    ]),
  );
  expect(lines.slice(1)).toEqual([
    `  │ ${"word ".repeat(15).trimEnd()}`,
    "  │ together",
    "  │     in     columns",
  ]);
});
