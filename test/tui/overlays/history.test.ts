import { expect, test } from "vitest";
import type { Gateway } from "../../../src/tui/gateway.ts";
import { loadEarlier, openHistory } from "../../../src/tui/overlays/history.ts";
import { pagerContent } from "../../../src/tui/overlays/overlay-lines.ts";
import { SessionController } from "../../../src/tui/session-controller.ts";
import { appState } from "../../../src/tui/state/app-state.ts";
import { EMPTY_VIEW } from "../../../src/tui/state/view-state.ts";
import { ViewStore } from "../../../src/tui/view-store.ts";
import { lineText } from "../line-text.ts";

/** A gateway with a conversation of so many messages, numbered from 0. */
const gatewayWith = (count: number): Gateway => ({
  ready: new Promise(() => undefined),
  events: async function* events() {},
  // It answers one method only, as its table says.
  request: ((_method: string, { limit, before = count }: { limit: number; before?: number }) => {
    const from = Math.max(0, before - limit);
    const messages = Array.from({ length: before - from }, (_, index) => ({
      role: "assistant",
      text: `message ${from + index}`,
      row_id: from + index,
      timestamp: 0,
    }));
    return Promise.resolve({ count, messages, ...(from > 0 ? { before: from } : {}) });
  }) as Gateway["request"],
});

test("/history goes back as far as the conversation does, and what is read stays where it is", async () => {
  const state = appState({ size: { columns: 80, rows: 24 }, now: 0, history: [] });
  const session = { id: "s", info: {}, usage: {} } as unknown as (typeof EMPTY_VIEW)["session"];
  const store = new ViewStore({ ...state, view: { ...EMPTY_VIEW, session } });
  const controller = new SessionController(store, () => 0);
  controller.connect(gatewayWith(1100));
  const shown = () => {
    const { overlay } = store.state;
    if (overlay?.kind !== "pager") throw new Error("The conversation is not open.");
    return { ...overlay, lines: pagerContent(overlay, 80).map((line) => lineText(line).trim()) };
  };
  await openHistory({ store, controller });
  expect(shown()).toMatchObject({ earlier: 600, top: Infinity });
  expect(shown().lines[0]).toBe("message 600");
  store.update({ overlay: { ...shown(), top: 4 } });
  await loadEarlier({ store, controller });
  expect(shown().earlier).toBe(100);
  expect(shown().lines[shown().top]).toBe("message 602");
  await loadEarlier({ store, controller });
  expect(shown().earlier).toBeUndefined();
  expect(shown().lines[0]).toBe("message 0");
  expect(shown().lines.filter((line) => line !== "")).toHaveLength(1100);
});
