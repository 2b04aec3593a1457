import { expect, test } from "vitest";
import type { ApiUser } from "../../../src/http/turns/api-context.ts";
import { scriptedModel } from "../../kit/scripted-model.ts";
import { stageWith } from "../stage.ts";

const ANNA = "user:u_0123456789ab";
const OWNER = "user:u_aaaaaaaaaaaa";
const USERS: Readonly<Record<string, ApiUser>> = {
  u_0123456789ab: { isDisabled: false, memoryScope: ANNA },
  u_aaaaaaaaaaaa: { isDisabled: false },
  u_bbbbbbbbbbbb: { isDisabled: true, memoryScope: "user:u_bbbbbbbbbbbb" },
};

test("the key user:<id> reaches the memory of that user, and no other key that of anybody on another surface", async () => {
  await using stage = await stageWith(scriptedModel(), { userOf: (id) => Promise.resolve(USERS[id]) });
  const reached = async (key: string) => {
    const body = { model: "agent", messages: [{ role: "user", content: "hello" }] };
    const answer = await stage.post("/v1/chat/completions", body, { "X-Agent-Session-Key": key });
    if (answer.status !== 200) return answer.status;
    expect(answer.headers.get("x-agent-session-key")).toBe(key);
    const [newest] = await stage.host.list({ limit: 1, offset: 0, includeHidden: true });
    const rows = await (await stage.host.session(newest?.id ?? "")).rows(0, 9);
    const prompt = rows.flatMap(({ event }) => (event.type === "turn.start" ? [event.prompt] : []))[0];
    return [prompt?.memoryScope, prompt?.person];
  };
  expect(await reached(ANNA)).toEqual([ANNA, ANNA]);
  // The one at the terminal has the home's own memory.
  expect(await reached(OWNER)).toEqual([undefined, OWNER]);
  expect(await reached("user:u_bbbbbbbbbbbb")).toBe(403);
  const others = [
    "user:u_cccccccccccc",
    "user:u_0123456789AB",
    `${ANNA} x`,
    "chat:telegram:user:42",
    "owner",
  ];
  for (const key of others)
    expect(await reached(key), key).toEqual([expect.stringMatching(/^api-server-[0-9a-f]{64}$/), undefined]);
});
