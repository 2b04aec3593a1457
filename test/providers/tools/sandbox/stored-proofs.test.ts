import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Spawner } from "../../../../src/providers/tools/index.ts";
import {
  type BubblewrapEngine,
  openSandbox,
  type ProbeParts,
  SandboxProbe,
  type SandboxPolicy,
  StoredProofs,
} from "../../../../src/providers/tools/sandbox/index.ts";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { noSandbox } from "../../../kit/sandbox.ts";

const DAY_MS = 24 * 3_600_000;

/** A home with a proofs' file, and what a probe needs. */
class ProofStage implements AsyncDisposable {
  readonly #probes = new AsyncDisposableStack();
  readonly folder = mkdtempSync(join(tmpdir(), "proofs-"));
  readonly home = join(this.folder, "agent");
  readonly file = join(this.home, "cache", "sandbox-proofs.json");
  readonly spawner = new Spawner({
    machine: process,
    clock: systemClock,
    hostId: "proofs",
    tempDir: this.folder,
  });
  now = Date.now();

  constructor() {
    mkdirSync(this.home);
  }

  get policy(): SandboxPolicy {
    return { roots: [], apart: [this.home], home: join(this.folder, "person"), tempDir: this.folder };
  }

  /** A stand-in for `bwrap` that does what a script says. */
  engine(script: string): BubblewrapEngine {
    const file = join(this.folder, "bwrap");
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const first = { name: "perl", file: "/bin/sh" } as const;
    return {
      kind: "bubblewrap",
      file,
      version: "0.11.0",
      disablesUserNamespaces: true,
      architecture: "x64",
      first,
    };
  }

  proofs(program = "1"): StoredProofs {
    return new StoredProofs({ file: this.file, program, machine: process, now: () => this.now });
  }

  probe(parts: ProbeParts = { proofs: this.proofs() }): SandboxProbe {
    const { spawner } = this;
    const options = { machine: process, clock: systemClock, spawner, arch: process.arch };
    return this.#probes.use(new SandboxProbe(options, parts));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#probes.disposeAsync();
    await this.spawner[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}

describe.skipIf(process.platform !== "linux")("a proof that was kept", () => {
  test("counts for a day, and not when it comes from the future", async () => {
    await using stage = new ProofStage();
    const marks = (await stage.proofs().marks(stage.engine("exit 1"), stage.policy)) ?? "";
    expect(stage.proofs().has(marks)).toBe(false);
    stage.proofs().keep(marks);
    const made = stage.now;
    const counts = (now: number): boolean => {
      stage.now = now;
      return stage.proofs().has(marks);
    };
    expect([made, made + DAY_MS - 1, made + DAY_MS, made - 1].map(counts)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("is for one program, one set of settings, and `bwrap` as it was", async () => {
    await using stage = new ProofStage();
    const engine = stage.engine("exit 1");
    const marks = async (program: string, policy: SandboxPolicy): Promise<string | undefined> =>
      await stage.proofs(program).marks(engine, policy);
    const { policy } = stage;
    const first = await marks("1", policy);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await marks("1", policy)).toBe(first);
    expect(await marks("1", { ...policy, roots: ["/elsewhere"], hosts: ["example.com"] })).toBe(first);
    const others = [
      await marks("2", policy),
      await marks("1", { ...policy, readable: ["/srv"] }),
      await marks("1", { ...policy, limits: { processes: 10 } }),
      await marks("1", { ...policy, apart: [] }),
      await marks("1", { ...policy, tempDir: "/var/tmp" }),
    ];
    stage.engine("exit 2");
    others.push(await marks("1", policy));
    renameSync(engine.file, `${engine.file}.old`);
    stage.engine("exit 2");
    others.push(await marks("1", policy));
    expect(new Set([first, ...others]).size).toBe(8);
    rmSync(engine.file);
    expect(await marks("1", policy)).toBeUndefined();
  });

  test("is for its owner's eyes only, and nothing counts that somebody else could have written", async () => {
    await using stage = new ProofStage();
    const marks = (await stage.proofs().marks(stage.engine("exit 1"), stage.policy)) ?? "";
    stage.proofs().keep(marks);
    expect(statSync(stage.file).mode & 0o777).toBe(0o600);
    expect(statSync(join(stage.home, "cache")).mode & 0o777).toBe(0o700);
    chmodSync(stage.file, 0o660);
    expect(stage.proofs().has(marks)).toBe(false);
    chmodSync(stage.file, 0o600);
    expect(stage.proofs().has(marks)).toBe(true);
    renameSync(stage.file, `${stage.file}.real`);
    symlinkSync(`${stage.file}.real`, stage.file);
    expect(stage.proofs().has(marks)).toBe(false);
    rmSync(stage.file);
    for (const text of ["", "{", "[]", '{"proofs":{}}', `{"proofs":[null,1,{"marks":"${marks}"}]}`]) {
      writeFileSync(stage.file, text, { mode: 0o600 });
      expect(stage.proofs().has(marks)).toBe(false);
    }
  });

  test("is no sandbox: walls that cannot be built are none, and the proof is gone", async () => {
    await using stage = new ProofStage();
    const engine = stage.engine("echo bwrap: no namespaces >&2; exit 1");
    const marks = (await stage.proofs().marks(engine, stage.policy)) ?? "";
    stage.proofs().keep(marks);
    const find = () => Promise.resolve({ available: true, engine } as const);
    const status = await stage.probe({ find, proofs: stage.proofs() }).status(stage.policy);
    expect(status).toMatchObject({ available: false });
    expect(stage.proofs().has(marks)).toBe(false);
  });

  test("is not made by walls that let something through", async () => {
    await using stage = new ProofStage();
    // No walls at all: it starts what it is told to start.
    const engine = stage.engine(
      'while test "$1" != --; do shift; done; shift; while test "$1" != /bin/sh; do shift; done; exec "$@"',
    );
    const find = () => Promise.resolve({ available: true, engine } as const);
    const status = await stage.probe({ find, proofs: stage.proofs() }).status(stage.policy);
    expect(status).toMatchObject({ available: false, test: { holds: false } });
    expect(existsSync(stage.file)).toBe(false);
  });
});

// Without bubblewrap there is nothing to prove: the reason is in the name.
describe.skipIf(noSandbox !== undefined)(`walls ${noSandbox ?? ""}`, () => {
  test("are tried once a day, and whenever somebody asks for it", async () => {
    await using stage = new ProofStage();
    expect(await stage.probe().status(stage.policy)).toMatchObject({
      available: true,
      test: { holds: true },
    });
    const kept = readFileSync(stage.file, "utf8");
    const again = await stage.probe().status(stage.policy);
    expect(again.available).toBe(true);
    expect(again.test).toBeUndefined();
    expect(readFileSync(stage.file, "utf8")).toBe(kept);
    expect(await stage.probe().prove(stage.policy)).toMatchObject({ available: true, test: { holds: true } });
    stage.now += DAY_MS;
    expect(await stage.probe().status(stage.policy)).toMatchObject({ test: { holds: true } });
    const other = { ...stage.policy, limits: { processes: 500 } };
    expect(await stage.probe().status(other)).toMatchObject({ test: { holds: true } });
  });

  test("leave what sandboxes share to the one that waits for them, and nothing at their end", async () => {
    await using stage = new ProofStage();
    const { policy } = stage;
    const left = (name: string): readonly string[] => globSync(join(policy.tempDir, "agent-sandbox-*", name));
    const probe = stage.probe();
    const status = await probe.status(policy);
    if (!status.available) throw new Error(status.reason);
    const [kept, ...others] = left("etc");
    expect([kept, others]).toEqual([expect.any(String), []]);
    const tools = { machine: process, clock: systemClock };
    const work = join(stage.folder, "work");
    mkdirSync(work);
    const opened = await openSandbox(status.engine, { ...policy, roots: [work] }, tools);
    if (!opened.available) throw new Error(opened.reason);
    expect(left("etc")).toEqual([kept]);
    await opened.sandbox[Symbol.asyncDispose]();
    expect(left("etc")).toEqual([kept]);
    await probe[Symbol.asyncDispose]();
    expect(left("")).toEqual([]);
  });

  test("leave nothing either when they are still looked for at the end", async () => {
    await using stage = new ProofStage();
    const { policy } = stage;
    const first = stage.probe();
    const known = await first.status(policy);
    if (!known.available) throw new Error(known.reason);
    await first[Symbol.asyncDispose]();
    const { engine } = known;
    const found = Promise.withResolvers<{ readonly available: true; readonly engine: typeof engine }>();
    const probe = stage.probe({ find: () => found.promise });
    const status = probe.status(policy);
    await probe[Symbol.asyncDispose]();
    found.resolve({ available: true, engine });
    expect(await status).toMatchObject({ available: true });
    expect(globSync(join(policy.tempDir, "agent-sandbox-*"))).toEqual([]);
  });
});
