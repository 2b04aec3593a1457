import { expect, test } from "vitest";
import { say, scriptedModel } from "../kit/scripted-model.ts";
import { hostWith } from "../kit/test-host.ts";

test("a user's door leads to what is theirs; all else is as if it never was", async () => {
  await using host = await hostWith(scriptedModel([say("hello")], [say("yes")]));
  const anna = host.of("u_anna");
  const ben = host.of("u_ben");
  const { session, turn } = await anna.begin({}, { text: "a pear" });
  await turn.result;
  const nobodys = await host.open({ title: "of the home" });
  await ben.open({ title: "Ben's" });
  expect(session.state.user).toBe("u_anna");
  const ids = async (user: typeof anna) =>
    (await user.list({ limit: 9, offset: 0, includeEmpty: true })).map(({ id }) => id);
  expect(await ids(anna)).toEqual([session.id]);
  expect(await ids(ben)).toHaveLength(1);
  for (const id of [session.id, nobodys.id, "20260101_000000_000000"]) {
    const missing = { code: "session_not_found", message: `Session not found: ${id}` };
    expect(await ben.record(id)).toBeUndefined();
    await expect(ben.session(id)).rejects.toMatchObject(missing);
    await expect(ben.remove(id)).rejects.toMatchObject(missing);
  }
  const { hash } = await host.services.store.putBlob(new Uint8Array([1]));
  await expect(ben.blob(hash)).rejects.toMatchObject({ code: "blob_not_found" });
  // A session of nobody is taken over once; a copy of it is its user's, from whichever turn it was made.
  expect(await nobodys.giveTo("u_ben")).toBe("u_ben");
  expect(await nobodys.giveTo("u_anna")).toBe("u_ben");
  expect((await ben.session(nobodys.id)).state.user).toBe("u_ben");
  const copy = await host.branch(session.id);
  expect((await anna.session(copy.id)).state.user).toBe("u_anna");
  await anna.remove(session.id);
  expect(await ids(anna)).toEqual([copy.id]);
});
