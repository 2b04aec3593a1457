import { execFile } from "node:child_process";
import { constants, verify, X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { tokenListener, type TokenRequest } from "../kit/identity-server.ts";
import { reply, startModelServer } from "../kit/model-server/index.ts";

const run = promisify(execFile);
const TENANT = "11111111-2222-3333-4444-555555555555";

/** A home that is keyless, and an authority of its own that gives out tokens to its service principal. */
async function openStage(config = "") {
  const stage = new CommandStage();
  const [key, certificate] = [join(stage.folder, "key.pem"), join(stage.folder, "certificate.pem")];
  const about = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await run("openssl", ["req", ...kind, ...about, "-keyout", key, "-out", certificate]);
  const requests: TokenRequest[] = [];
  const authority = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    tokenListener(requests),
  );
  const listening = Promise.withResolvers<void>();
  authority.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const server = await startModelServer({ answer: () => reply("Hello.") });
  stage.configure(
    `model:\n  provider: cloud-foundry\n  base_url: ${server.url}/openai/v1\n  auth_mode: identity_service\n  default: gpt-5\n${config}`,
  );
  Object.assign(stage.env, {
    NODE_EXTRA_CA_CERTS: certificate,
    // A server that listens on a port has an address with one.
    AZURE_AUTHORITY_HOST: `https://localhost:${(authority.address() as AddressInfo).port}`,
    AZURE_TENANT_ID: TENANT,
    AZURE_CLIENT_ID: "the-client",
  });
  return {
    stage,
    server,
    requests,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await server.close();
      authority.closeAllConnections();
      authority.close();
    },
  };
}

test("a service principal of a cloud of one's own answers for every request, and nothing of it stays on disk", async () => {
  await using kit = await openStage();
  // A secret may stand in .env; nothing is added to it.
  kit.stage.write(".env", "AZURE_CLIENT_SECRET=the-client-secret-0123456789\n");
  const { code, stdout, stderr } = await kit.stage.ask(["run", "hi"]);
  expect([code, stdout, stderr]).toEqual([0, "Hello.\n", ""]);
  const asked = kit.requests[0];
  expect(asked?.path).toBe(`/${TENANT}/oauth2/v2.0/token`);
  expect(asked?.form).toMatchObject({
    client_id: "the-client",
    client_secret: "the-client-secret-0123456789",
    scope: "https://ai.azure.com/.default",
  });
  expect((await kit.server.request(1)).headers.authorization).toBe("Bearer token-1");
  expect(readFileSync(join(kit.stage.home, ".env"), "utf8")).toBe(
    "AZURE_CLIENT_SECRET=the-client-secret-0123456789\n",
  );
  for (const name of readdirSync(kit.stage.home, { recursive: true, withFileTypes: true }))
    if (name.isFile())
      expect(readFileSync(join(name.parentPath, name.name), "latin1"), name.name).not.toContain("token-1");
});

test("a certificate signs for its service principal, and its key is not sent", async () => {
  await using kit = await openStage();
  const path = join(kit.stage.folder, "principal.pem");
  const [key, certificate] = [`${path}.key`, `${path}.crt`];
  const about = ["-subj", "/CN=principal", "-days", "2", "-keyout", key, "-out", certificate];
  await run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...about]);
  const pem = readFileSync(key, "utf8") + readFileSync(certificate, "utf8");
  writeFileSync(path, pem, { mode: 0o600 });
  kit.stage.env["AZURE_CLIENT_CERTIFICATE_PATH"] = path;
  expect((await kit.stage.ask(["run", "hi"])).stdout).toBe("Hello.\n");
  const form = kit.requests[0]?.form ?? {};
  expect(form).toMatchObject({
    client_id: "the-client",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
  const [header = "", claims = "", signature = ""] = (form["client_assertion"] ?? "").split(".");
  const { publicKey } = new X509Certificate(readFileSync(certificate));
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    iss: "the-client",
    sub: "the-client",
  });
  // Which padding it is, the header says.
  const { alg } = JSON.parse(Buffer.from(header, "base64url").toString()) as { alg: string };
  const padding = alg.startsWith("PS") ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {};
  const signed = Buffer.from(`${header}.${claims}`);
  expect(verify("sha256", signed, { key: publicKey, ...padding }, Buffer.from(signature, "base64url"))).toBe(
    true,
  );
  expect((await kit.server.request(1)).headers.authorization).toBe("Bearer token-1");
});

test("a federated token of the place where it runs is exchanged, as its file has it at that time", async () => {
  await using kit = await openStage();
  const path = join(kit.stage.folder, "federated-token");
  writeFileSync(path, "a.federated.token");
  kit.stage.env["AZURE_FEDERATED_TOKEN_FILE"] = path;
  expect((await kit.stage.ask(["run", "hi"])).stdout).toBe("Hello.\n");
  expect(kit.requests[0]?.path).toBe(`/${TENANT}/oauth2/v2.0/token`);
  expect(kit.requests[0]?.form).toMatchObject({
    client_id: "the-client",
    client_assertion: "a.federated.token",
    scope: "https://ai.azure.com/.default",
  });
  expect((await kit.server.request(1)).headers.authorization).toBe("Bearer token-1");
});

test("doctor says who gave the token, and what a refusal has to do with roles and scopes", async () => {
  await using kit = await openStage("  identity:\n    scope: https://old.example.net/.default\n");
  kit.stage.env["AZURE_CLIENT_SECRET"] = "the-client-secret-0123456789";
  kit.server.script({ status: 401, body: '{"error":{"message":"Principal lacks the data action"}}' });
  const { code, stdout } = await kit.stage.ask(["doctor"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /ok +identity +a token for https:\/\/old\.example\.net\/\.default by environment \(set: AZURE_TENANT_ID/,
  );
  expect(stdout).toMatch(/FAIL +provider .*5 minutes.*model\.identity\.scope is https:\/\/old\.example\.net/);
  expect(stdout).not.toContain("the-client-secret");
});
