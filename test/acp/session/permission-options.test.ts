import { expect, test } from "vitest";
import { permissionAnswer, permissionOptions } from "../../../src/acp/session/permission-options.ts";
import type { ApprovalRequest } from "../../../src/core/index.ts";

const request: ApprovalRequest = {
  type: "approval.request",
  requestId: "r",
  turnId: "t",
  callId: "c",
  timeoutMs: 1000,
  beforeEffect: true,
  toolName: "terminal",
  command: "git tag v1",
  description: "",
  patterns: ["git tag *"],
  choices: ["once", "session", "always", "deny"],
  inputHash: "",
  scopes: [
    { id: "1", folder: "/work", rules: ["in:/work:git tag v1"] },
    { id: "2", folder: "/work", rules: ["in:/work:git tag *"] },
    { id: "3", rules: ["git tag v1"] },
    { id: "4", rules: ["git tag *"] },
  ],
};
const capabilities = { optionsOfOneKind: true } as Parameters<typeof permissionOptions>[1];
const chosen = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });

test("an editor that shows options of one kind is offered this folder before every one", () => {
  const options = permissionOptions(request, capabilities);
  expect(options.map(({ optionId }) => optionId)).toEqual([
    "once",
    "session",
    "always_in_folder",
    "always",
    "deny",
  ]);
  expect(options[2]?.name).toBe("Always allow git tag * in /work and below");
  expect(permissionAnswer(chosen("always_in_folder"), request)).toEqual({ choice: "always", scope: "2" });
  expect(permissionAnswer(chosen("always"), request)).toEqual({ choice: "always" });
});

test("where it was not offered it is no permission", () => {
  const { scopes: _scopes, ...plain } = request;
  expect(permissionAnswer(chosen("always_in_folder"), plain)).toBeUndefined();
  expect(permissionOptions(plain, capabilities)).toHaveLength(4);
  expect(permissionOptions(request, { ...capabilities, optionsOfOneKind: false })).toHaveLength(3);
});
