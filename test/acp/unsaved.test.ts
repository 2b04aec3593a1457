import { expect, test } from "vitest";
import type { Store } from "../../src/core/index.ts";
import { memoryStore } from "../../src/providers/store/index.ts";
import { changedObject } from "../kit/changed-object.ts";
import { random } from "../kit/counts.ts";
import { gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { hostWith } from "../kit/test-host.ts";
import { AcpEditor } from "./acp-stage.ts";
import { hostWire } from "./wire.ts";

/** A store of its own that refuses rows as long as it is full. */
function storeThatFills() {
  const disk = { isFull: false };
  const store = memoryStore({ random: random(1) });
  const append: Store["append"] = async (request) => {
    if (disk.isFull) throw new Error("The disk is full.");
    return await store.append(request);
  };
  return {
    disk,
    store: changedObject(store, { append }),
  };
}

test("a prompt whose turn cannot be saved is answered with the failure, after the text that came before", async () => {
  const { disk, store } = storeThatFills();
  const hold = gate();
  await using host = await hostWith(scriptedModel([say("half"), wait(hold), say(" an answer")]), { store });
  const editor = new AcpEditor(hostWire(host));
  await using _ = editor;
  await editor.initialize();
  const sessionId = await editor.open("/work");
  const running = editor.prompt(sessionId, "hi");
  await editor.until(() => editor.said(sessionId) === "half");
  disk.isFull = true;
  hold.open();
  await expect(running).rejects.toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  expect(editor.said(sessionId)).toMatch(/^half/);
  disk.isFull = false;
});
