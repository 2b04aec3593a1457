import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../kit/gateway-command.ts";
import { rpcCommand } from "../kit/rpc-command.ts";

test("an approval that one process asks for over HTTP is answered in another over stdio, and the first one carries on", async () => {
  await using stage = new CommandStage();
  stage.configure('approvals:\n  mode: "manual"\n');
  // Commands get the time zone of the process that runs them.
  Object.assign(stage.env, { TZ: "Asia/Tokyo" });
  const { url } = await startGateway(stage);
  const api = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}/v1/runs${path}`, {
      headers: { authorization: `Bearer ${GATEWAY_KEY}` },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const command = 'echo "ran in $TZ" >> zone.txt';
  const { run_id: run, session_id } = await api("", { input: `run \`${command}\`` });
  await expect
    .poll(() => api(`/${String(run)}`))
    .toMatchObject({ status: "waiting_for_approval", approval: { command } });

  Object.assign(stage.env, { TZ: "Europe/Rome" });
  const ask = rpcCommand(stage);
  expect(await ask("session.resume", { session_id })).toHaveProperty("result");
  expect(await ask("approval.pending", { session_id })).toMatchObject({ result: { pending: [{ command }] } });
  expect(await ask("approval.respond", { session_id, choice: "once" })).toHaveProperty("result");

  await expect.poll(() => api(`/${String(run)}`)).toMatchObject({ status: "completed" });
  expect(readFileSync(join(stage.workspace, "zone.txt"), "utf8")).toBe("ran in Asia/Tokyo\n");
  // It is over for everybody.
  expect(await ask("approval.pending", { session_id })).toMatchObject({ result: { pending: [] } });
});
