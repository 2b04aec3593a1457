import { join } from "node:path";
import { Client } from "pg";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { testDatabase, testPostgres } from "../../kit/postgres/index.ts";
import { seedHome } from "../../providers/store/copy/seeded-store.ts";

const hasServer = (await testPostgres()) !== undefined;

test("an address is needed, and none with a password is taken from the arguments", async () => {
  await using stage = new CommandStage();
  const asked = await stage.ask(["store", "copy", stage.home]);
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Set AGENT_STORE_URL or store.url"),
  });
  const url = "postgres://me:quite-a-secret@db.internal/agent";
  const refused = await stage.ask(["store", "copy", stage.home, url]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Put the whole address into") });
  expect(refused.stderr).not.toContain("quite-a-secret");
});

test.skipIf(!hasServer)(
  "memory and webhook routes come along, and the command says what does not",
  async () => {
    await using stage = new CommandStage();
    await seedHome(stage.home, 2);
    stage.write("webhook_subscriptions.json", '{"builds":{"secret":"s"}}\n');
    const remembered = await stage.ask(["memory", "list"]);
    expect(remembered.stdout).toContain("Nothing is remembered");
    await using database = await testDatabase();
    const { stdout, stderr, code } = await stage.ask(["store", "copy", stage.home, database.url]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Copying .* to postgres:\/\/\S+ …\n/)]);
    expect(stdout).toMatch(
      /^Copied and read back: 3 sessions with \d+ rows, 3 files, 1499 records and \d+ events/,
    );
    expect(stdout).toContain("Each machine keeps its own config.yaml");
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query("SELECT key, value FROM records WHERE space = 'home.texts'");
    await client.end();
    expect(rows).toEqual([
      { key: "webhook_subscriptions.json", value: JSON.stringify({ text: '{"builds":{"secret":"s"}}\n' }) },
    ]);
    const again = await stage.ask(["store", "copy", join(stage.home, "."), database.url]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("holds the whole of") });
  },
);
