import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homeSecrets } from "../../../src/app/config/home-secrets.ts";
import { homeFile } from "../../../src/app/config/home-texts.ts";
import { SharedTexts } from "../../../src/app/store/shared-texts.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import { handClock } from "../../kit/clock.ts";

const NAME = "webhook_subscriptions.json";
const decode = (text: string): readonly string[] => (text === "" ? [] : (JSON.parse(text) as string[]));

test("of what several machines change at once nothing is lost, and each sees it soon", async () => {
  const home = memoryHome();
  const clock = handClock();
  await using store = home.open();
  const machines = [0, 1, 2].map(() => new SharedTexts(store.records, clock));
  const [first, second] = machines;
  if (first === undefined || second === undefined) throw new Error("There are three.");
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      homeFile(machines[index % 3] ?? first, NAME, decode).change((known) => [...known, `n${index}`]),
    ),
  );
  await first.refresh();
  expect(homeFile(first, NAME, decode).load().toSorted()).toEqual(
    Array.from({ length: 30 }, (_, index) => `n${index}`).toSorted(),
  );
  first.follow();
  await homeFile(second, NAME, decode).change(() => ["changed"]);
  await expect
    .poll(() => {
      clock.advance(1000);
      return homeFile(first, NAME, decode).load();
    })
    .toEqual(["changed"]);
  for (const texts of machines) texts[Symbol.dispose]();
});

test("a damaged text says where it is and is not written over, and its secrets are hidden on every machine", async () => {
  await using store = memoryHome().open();
  const clock = handClock();
  using texts = new SharedTexts(store.records, clock);
  await texts.change(NAME, () => "{ half");
  const file = homeFile(texts, NAME, decode);
  expect(() => file.load()).toThrow(
    /Cannot read webhook_subscriptions\.json in the database that the machines/,
  );
  await expect(file.change(() => [])).rejects.toThrow(/Cannot read/);
  expect(texts.read(NAME)).toBe("{ half");
  const home = mkdtempSync(join(tmpdir(), "agent-texts-"));
  try {
    writeFileSync(join(home, NAME), JSON.stringify({ a: { secret: "secret-of-a-file" } }));
    writeFileSync(join(home, "gateway.token"), "token-of-the-machine");
    await texts.change(NAME, () => JSON.stringify({ a: { secret: "secret-of-all" } }));
    expect(homeSecrets(home, { clock, texts })()).toEqual(["token-of-the-machine", "secret-of-all"]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
