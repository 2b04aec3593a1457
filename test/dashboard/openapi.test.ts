import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { operatorAt } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

test("the dashboard's API is described, each operation once and each shape under a name of its own", async () => {
  await using stage = new CommandStage();
  const address = await startDashboard(stage);
  const operator = await operatorAt(address);
  const document = (await (await operator.get("/openapi.json")).json()) as Document;
  expect(document.openapi).toBe("3.1.0");
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.length).toBeGreaterThan(40);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      "/dashboard/api/usage",
      "/dashboard/api/attention",
      "/dashboard/api/jobs/{job_id}",
    ]),
  );
  const text = JSON.stringify(document);
  for (const [, name = ""] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
    expect(document.components.schemas).toHaveProperty(name);
  expect(document.components.schemas).not.toHaveProperty("Body");
  expect((await fetch(new URL("/dashboard/api/openapi.json", address))).status).toBe(401);
});
