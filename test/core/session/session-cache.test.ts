import { describe, expect, test } from "vitest";
import { SessionCache } from "../../../src/core/session/session-cache.ts";

class Shelved {
  idle = false;
  forgotten = 0;
  readonly log = { gone: false };

  forget(): void {
    this.forgotten += 1;
  }
}

describe("the shelf of sessions", () => {
  test("becomes small again after a rush, a few at a time", () => {
    const shelf = new SessionCache<Shelved>();
    const rush = Array.from({ length: 1000 }, (_, index) => {
      const session = new Shelved();
      shelf.getOrPut(`s${index}`, () => session);
      return session;
    });
    const forgotten = (): number => rush.filter(({ forgotten: times }) => times > 0).length;
    // What works is kept, however many there are.
    expect(forgotten()).toBe(0);
    for (const session of rush) session.idle = true;
    for (let index = 0; index < 240; index += 1) shelf.getOrPut(`late${index % 3}`, () => new Shelved());
    expect(forgotten()).toBeGreaterThan(930);
    expect(rush.every(({ forgotten: times }) => times <= 1)).toBe(true);
  });

  test("lets go of what is idle behind others that work", () => {
    const shelf = new SessionCache<Shelved>();
    const working = Array.from({ length: 20 }, (_, index) =>
      shelf.getOrPut(`w${index}`, () => new Shelved()),
    );
    const waiting = Array.from({ length: 60 }, (_, index) =>
      shelf.getOrPut(`i${index}`, () => new Shelved()),
    );
    for (const session of waiting) session.idle = true;
    for (let index = 0; index < 20; index += 1) shelf.get("w19");
    expect(working.every(({ forgotten }) => forgotten === 0)).toBe(true);
    expect(waiting.filter(({ forgotten }) => forgotten > 0)).toHaveLength(16);
  });
});
