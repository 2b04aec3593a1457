import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { startGateway } from "../../kit/gateway-command.ts";

/** Makes each request to the store's thread take longer: a start is over later than all that passes meanwhile. */
const SLOW_STORE = `
  import { Worker } from "node:worker_threads";
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (...sent) {
    setTimeout(() => postMessage.apply(this, sent), 200);
  };
`;

test("a gateway whose store is slow starts, and ends in order", async () => {
  await using stage = new CommandStage();
  stage.env["NODE_OPTIONS"] = `--import=data:text/javascript,${encodeURIComponent(SLOW_STORE)}`;
  const { command } = await startGateway(stage);
  command.child.kill("SIGTERM");
  expect((await command.end).code).toBe(0);
});
