import { describe, expect, test } from "vitest";
import { postgresStore } from "../../../../src/providers/store/postgres/postgres-store.ts";
import { readIdentity } from "../../../../src/providers/store/index.ts";
import { testPostgres } from "../../../kit/postgres/index.ts";
import { storeContract } from "../contract/index.ts";
import { postgresHome } from "./postgres-home.ts";

const isThere = (await testPostgres()) !== undefined;

// Where no package brings a server for this machine and AGENT_TEST_POSTGRES names none.
describe.skipIf(!isThere)("a store in PostgreSQL", () => {
  storeContract(() => postgresHome());

  test("an address where nobody answers is said so", async () => {
    const opening = postgresStore({
      url: "postgres://agent:secret@127.0.0.1:1/agent",
      identity: readIdentity(process.pid),
    });
    await expect(opening).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(/^(?!.*secret).*127\.0\.0\.1:1\/agent/),
    });
  });
});
