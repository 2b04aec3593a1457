import { expect, test } from "vitest";
import type { Client } from "../../../src/tui/client.ts";
import { Completing } from "../../../src/tui/input/completing.ts";
import { composerKey } from "../../../src/tui/input/composer-keys.ts";
import { withoutPastes } from "../../../src/tui/input/written.ts";
import { appState } from "../../../src/tui/state/app-state.ts";
import { ViewStore } from "../../../src/tui/view-store.ts";

test("a prompt from before opens no list until something is typed, nor does the draft behind it", async () => {
  const history = ["oldest", "/he", "read @a"].map(withoutPastes);
  const store = new ViewStore(appState({ size: { columns: 80, rows: 24 }, now: 0, history }));
  const asked: unknown[] = [];
  const request = (_method: string, params: { readonly word?: string; readonly text?: string }) => {
    asked.push(params.word ?? params.text);
    return Promise.resolve({ items: [{ text: "@a.txt", display: "a.txt" }], replace_from: 0 });
  };
  // Only what composing needs of a client.
  const client = { store, controller: { request, where: {} } } as unknown as Client;
  const completing = new Completing(client);
  const press = async (name: string, text = ""): Promise<void> => {
    composerKey(client, { name, text });
    completing.look();
    await Promise.resolve();
  };
  const shown = (): string => store.state.composer.editor.text;
  for (const expected of ["read @a", "/he", "oldest"]) {
    await press("up");
    expect(shown()).toBe(expected);
  }
  for (let times = 0; times < 3; times += 1) await press("down");
  expect([shown(), asked]).toEqual(["", []]);
  await press("ctrl+r");
  await press("text", "read");
  await press("enter");
  expect([shown(), asked]).toEqual(["read @a", []]);
  await press("text", ".");
  expect(asked).toEqual(["@a."]);
  await press("up");
  await press("escape");
  await press("up");
  expect(shown()).toBe("read @a");
  await press("down");
  expect([shown(), asked]).toEqual(["read @a.", ["@a."]]);
});
