import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { noSandbox, sandboxStage } from "../../kit/sandbox.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";

const health = async (url: string): Promise<unknown> =>
  await (
    await fetch(`${url}/health/detailed`, { headers: { authorization: `Bearer ${GATEWAY_KEY}` } })
  ).json();

describe("the detailed health of a gateway", () => {
  test("tells the connectors that run, and how the run before ended", async () => {
    await using stage = new CommandStage();
    Object.assign(stage.env, {
      WEBHOOK_ENABLED: "true",
      WEBHOOK_SECRET: "a-good-long-word-0123",
      WEBHOOK_PORT: "0",
    });
    const first = await startGateway(stage);
    const told = await health(first.url);
    expect(told).toMatchObject({
      status: "ok",
      exit_reason: null,
      platforms: { api_server: { state: "connected" }, webhook: { state: "connected" } },
      readiness: {
        checks: { config: { status: "ok" }, gateway: { state: "running", connected_platforms: 2 } },
      },
    });
    expect(told).not.toHaveProperty("last_exit");
    first.command.child.kill("SIGKILL");
    await first.command.end;
    delete stage.env["WEBHOOK_ENABLED"];
    const second = await startGateway(stage);
    const after = await health(second.url);
    expect(after).toMatchObject({ exit_reason: "killed", last_exit: { reason: "killed" } });
    expect(after).not.toHaveProperty("platforms.webhook");
    second.command.child.kill("SIGTERM");
    await second.command.end;
    const third = await startGateway(stage);
    expect(await health(third.url)).toMatchObject({
      exit_reason: "stopped",
      last_exit: { reason: "stopped", ended_at: expect.stringMatching(/^\d{4}-/) },
    });
  });

  test("tells where commands run, whether the sandbox holds, and why there is none", async () => {
    await using stage = sandboxStage();
    const { url } = await startGateway(stage);
    const found = noSandbox === undefined ? { holds: true } : { holds: false, detail: expect.any(String) };
    expect(await health(url)).toMatchObject({
      readiness: { checks: { sandbox: { status: "ok", backend: "auto", ...found } } },
    });
    stage.configure("terminal: { backend: container }\ncontainer: { image: none.invalid/none:none }\n");
    expect(await health(url)).toMatchObject({
      status: "degraded",
      readiness: {
        checks: {
          sandbox: { status: "degraded", backend: "container", holds: false, detail: expect.any(String) },
        },
      },
    });
    stage.configure("terminal: { backend: local }\n");
    expect(await health(url)).toMatchObject({
      status: "ok",
      readiness: { checks: { sandbox: { backend: "local", holds: false } } },
    });
  });

  test("tells that the configuration became unusable, without a word of it", async () => {
    await using stage = new CommandStage();
    const { url } = await startGateway(stage);
    stage.configure("platforms:\n  api_server:\n    extra:\n      port: none-such\n");
    const told = await health(url);
    expect(told).toMatchObject({
      status: "degraded",
      readiness: {
        status: "degraded",
        checks: { config: { status: "degraded", detail: expect.stringContaining("agent doctor") } },
      },
    });
    expect(JSON.stringify(told)).not.toContain("none-such");
    stage.configure("platforms:\n  api_server:\n    extra:\n      port: 1234\n");
    expect(await health(url)).toMatchObject({ status: "ok" });
  });
});
