import { describe, expect, test } from "vitest";
import { z } from "zod";
import { jobsApi } from "../../src/app/background/jobs-api.ts";
import { isJsonObject } from "../../src/shared/json/json.ts";
import { Machine } from "../kit/machine.ts";
import { say, scriptedModelWith } from "../kit/scripted-model.ts";
import { jobProcess } from "../automation/jobs/job-stage.ts";
import { type Stage, stageWith } from "./stage.ts";

type Json = Readonly<Record<string, unknown>>;

interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Json }>>;

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

async function stage(): Promise<Stage> {
  const models = scriptedModelWith({ otherwise: () => [say("ok")] });
  const process = await jobProcess(new Machine(), models);
  return await stageWith(models, { jobs: jobsApi(process) });
}

const documentOf = async (api: Stage): Promise<Document> =>
  (await (await api.ask("/v1/openapi.json")).json()) as Document;

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** All values of a key, however deep. */
function valuesOf(key: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => valuesOf(key, each));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === key ? [inner] : []),
    ...valuesOf(key, inner),
  ]);
}

/** The schema of a body or an answer as a checker. */
function checker({ components }: Document, content: Content | undefined): z.ZodType {
  const [ref] = valuesOf("$ref", content);
  const name = typeof ref === "string" ? ref.replace("#/components/schemas/", "") : "";
  return z.fromJSONSchema(components.schemas[name] ?? {});
}

describe("the OpenAPI document", () => {
  test("describes every route and no other, each operation in full and under a name of its own", async () => {
    await using api = await stage();
    const document = await documentOf(api);
    expect(document.openapi).toBe("3.1.0");
    const all = operationsOf(document);
    const described = all.map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, ":")}`,
    );
    const routes = api.api.app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ":")}`);
    expect(described.toSorted()).toEqual(routes.toSorted());
    expect(new Set(all.map(({ operation }) => operation.operationId)).size).toBe(all.length);
    for (const { path, operation } of all) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
      expect(Object.keys(operation.responses)).toContain("default");
      expect(Object.keys(operation.responses).some((status) => /^2\d\d$/.test(status))).toBe(true);
      for (const { description, content } of Object.values(operation.responses)) {
        expect(description).not.toBe("");
        for (const { schema } of Object.values(content)) expect(Object.keys(schema)).not.toEqual([]);
      }
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => name)).toEqual(named);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  });

  test("names nothing that is not in it, and leaves nothing out that is named", async () => {
    await using api = await stage();
    const document = await documentOf(api);
    const refs = valuesOf("$ref", document).map(String);
    const names = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(names).toEqual(expect.arrayContaining([...new Set(refs)]));
    expect(new Set(refs)).toEqual(new Set(names));
  });

  test("takes the bodies that the server takes, and refuses those that it refuses", async () => {
    await using api = await stage();
    const document = await documentOf(api);
    const { id: session } = (
      (await (await api.post("/api/sessions", {})).json()) as { session: { id: string } }
    ).session;
    const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }];
    const job = { schedule: "every 2h", prompt: "hi" };
    const bodies: readonly (readonly [path: string, body: Json, status: number])[] = [
      ["/v1/chat/completions", { model: "agent", messages, temperature: 0, stream: false, n: 1 }, 200],
      ["/v1/chat/completions", { messages: "hi" }, 400],
      [
        "/v1/responses",
        { input: "hi", metadata: { a: "b" }, reasoning: { effort: "low", summary: "auto" } },
        200,
      ],
      ["/v1/responses", { input: messages, background: true, conversation: { id: "c" } }, 200],
      ["/v1/responses", { input: "hi", metadata: "b" }, 400],
      ["/v1/runs", { input: "hi", instructions: null }, 202],
      ["/v1/runs", { input: "hi", session_id: 5 }, 400],
      ["/api/sessions", { title: "named" }, 201],
      ["/api/sessions", { title: 5 }, 400],
      [`/api/sessions/${session}/chat`, { message: "hi" }, 200],
      [`/api/sessions/${session}/fork`, {}, 201],
      ["/api/jobs", job, 200],
      ["/api/jobs", { ...job, skills: "report", deliver: ["local", "log"], repeat: 2, paused: true }, 200],
      ["/api/jobs", { ...job, name: "n", skills: ["report"], provider: null, enabled_toolsets: [] }, 200],
      ["/api/jobs", { ...job, repeat: 0 }, 400],
      ["/api/jobs", { prompt: "hi" }, 400],
      ["/api/jobs", { ...job, skills: 5 }, 400],
    ];
    for (const [path, body, status] of bodies) {
      const answer = await api.post(path, body);
      expect([path, body, answer.status]).toEqual([path, body, status]);
      const described = document.paths[path.replace(session, "{session_id}")]?.["post"];
      const schema = checker(document, described?.requestBody?.content);
      expect([path, body, schema.safeParse(body).success]).toEqual([path, body, status < 300]);
    }
  });

  test("says what the jobs API answers", async () => {
    await using api = await stage();
    const document = await documentOf(api);
    const isAs = async (path: string, method: string, answer: Response): Promise<void> => {
      const status = String(answer.status);
      const operation = document.paths[path]?.[method];
      const schema = checker(document, operation?.responses[status]?.content);
      expect(schema.parse(await answer.json())).toBeDefined();
    };
    const made = await api.post("/api/jobs", { schedule: "in 30m", prompt: "hi" });
    const { job } = (await made.clone().json()) as { job: { id: string } };
    await isAs("/api/jobs", "post", made);
    await isAs("/api/jobs/{job_id}/run", "post", await api.post(`/api/jobs/${job.id}/run`, {}));
    await isAs("/api/jobs", "get", await api.ask("/api/jobs?include_disabled=1"));
    await isAs(
      "/api/jobs/{job_id}/pause",
      "post",
      await api.ask(`/api/jobs/${job.id}/pause`, { method: "POST" }),
    );
    await isAs("/api/jobs/{job_id}", "delete", await api.ask(`/api/jobs/${job.id}`, { method: "DELETE" }));
    const { anyOf } =
      document.paths["/api/jobs"]?.["get"]?.responses["default"]?.content["application/json"]?.schema ?? {};
    expect(anyOf).toEqual([
      { $ref: "#/components/schemas/ShortError" },
      { $ref: "#/components/schemas/Error" },
    ]);
  });
});
