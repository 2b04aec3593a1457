import { expect, test } from "vitest";
import { random, times } from "../../kit/counts.ts";
import { aMoment, slowHost } from "../slow-host.ts";
import { hostWire } from "../wire.ts";
import { openV2 } from "./v2-stage.ts";

const NEVER = new Promise<never>(() => undefined);

test(
  "cancels of version 2 at any moment refuse the prompt or end its turn",
  { timeout: 600_000 },
  async () => {
    const next = random(12);
    await using host = await slowHost(next);
    const { editor, sessionId } = await openV2(hostWire(host), { permit: () => NEVER });
    await using _ = editor;
    const idles = () => editor.states(sessionId).filter((state) => state === "idle").length;
    for (let round = 0; round < times(200); round += 1) {
      const before = idles();
      const taken = editor.prompt(sessionId, `prompt ${round}`).then(
        () => true,
        (error: { code: number }) => {
          expect(error.code).toBe(-32800);
          return false;
        },
      );
      await aMoment(next);
      await editor.cancel(sessionId);
      if (await taken) await editor.until(() => idles() > before);
      const { length } = editor.said(sessionId);
      expect(await editor.run(sessionId, "a control")).toBe("end_turn");
      expect(editor.said(sessionId).slice(length)).toBe("ok");
    }
    expect(host.reported).toEqual([]);
  },
);
