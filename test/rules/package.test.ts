import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/** The files that a program has loaded, beside Node's own. */
async function loadedBy(program: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "agent-loaded-"));
  const hooks = join(folder, "hooks.mjs");
  writeFileSync(
    hooks,
    `import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ load(url, context, next) { if (url.startsWith("file:")) loaded.push(url); return next(url, context); } });
process.on("exit", () => process.stderr.write("LOADED" + JSON.stringify(loaded)));`,
  );
  try {
    const { stderr } = await run(
      process.execPath,
      ["--import", hooks, "--input-type=module", "-e", program],
      { cwd: root },
    );
    const files = JSON.parse(stderr.slice(stderr.lastIndexOf("LOADED") + "LOADED".length)) as string[];
    return files.filter((file) => file !== new URL(`file://${hooks}`).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const textOf = (files: readonly string[]): string =>
  files.map((file) => readFileSync(new URL(file), "utf8")).join("\n");

describe("the built package", () => {
  test("loads no SDK, no Ink and no ws with its root", async () => {
    const files = await loadedBy('await import("agent-host")');
    expect(files.length).toBeGreaterThan(0);
    for (const name of ["openai", "undici", "ink", "ws-", "hono", "anthropic", "azure", "yaml"]) {
      expect(
        files.filter((file) => file.includes(`/${name}`)),
        name,
      ).toEqual([]);
    }
    expect(textOf(files)).not.toMatch(/react-reconciler|"node:https?"|"node:net"/);
  });

  test("loads nothing into the store's thread but the store and the folding of states", async () => {
    const files = await loadedBy('await import("./dist/store-worker.js")');
    const core = await loadedBy('await import("agent-host")');
    expect(textOf(files).length).toBeLessThan(textOf(core).length / 3);
  });

  test("loads nothing into the threads of checkpoints and documents that the agent loads for itself", async () => {
    for (const name of ["checkpoint-worker", "checkpoint-sweeper", "kb-worker"]) {
      const files = await loadedBy(`await import("./dist/${name}.js").catch(() => undefined)`);
      expect(files.map((file) => basename(file))).toEqual([`${name}.js`]);
    }
  });

  test("imports nothing of Node, which would read all that a module exports, and is written in Latin letters, of which V8 keeps half the bytes", () => {
    const files = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" });
    // Pages run in browsers.
    const programs = files.filter((file) => file.endsWith(".js") && !file.startsWith("web/"));
    expect(programs.length).toBeGreaterThan(20);
    const others = programs.filter((file) =>
      /^import .* from "node:|[^\0-\u00ff]/m.test(readFileSync(join(root, "dist", file), "utf8")),
    );
    expect(others).toEqual([]);
  });

  test("shows a person the failing line and his own frames", async () => {
    const program = `import { sqliteStore, readIdentity } from "agent-host/store";
      async function ownCode() { await sqliteStore({ home: "/proc/none", identity: readIdentity(process.pid) }); }
      await ownCode();`;
    const { stderr } = await run(process.execPath, ["--input-type=module", "-e", program], {
      cwd: root,
    }).catch((thrown: unknown) => thrown as { stderr: string });
    expect(stderr).toContain("The store /proc/none/state.db cannot be used");
    expect(stderr).toMatch(/at async sqliteStore .*\n\s+at async ownCode/);
    expect(Math.max(...stderr.split("\n").map((line) => line.length))).toBeLessThan(400);
  });

  test("brings a source map for each file of its own", () => {
    const chunks = readdirSync(join(root, "dist/chunks"));
    const maps = chunks.filter((file) => file.endsWith(".map"));
    expect(maps.length).toBeGreaterThan(10);
    const core = maps.find((file) => file.startsWith("core-")) ?? "";
    const { sources } = JSON.parse(readFileSync(join(root, "dist/chunks", core), "utf8")) as {
      sources: string[];
    };
    expect(sources.some((source) => source.endsWith("src/core/host.ts"))).toBe(true);
  });

  test("has types and code for each of its subpaths", async () => {
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      exports: Record<string, { types: string; default: string } | string>;
    };
    for (const [subpath, target] of Object.entries(exports)) {
      if (typeof target === "string") continue;
      expect(readFileSync(join(root, target.types), "utf8"), subpath).toContain("export");
      const { stdout } = await run(
        process.execPath,
        [
          "--input-type=module",
          "-e",
          `console.log(Object.keys(await import("${join("agent-host", subpath)}")).length)`,
        ],
        { cwd: root },
      );
      expect(Number(stdout), subpath).toBeGreaterThan(0);
    }
  });
});

test("no dependency runs a script at installation unless package.json says so by name", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const { allowScripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    allowScripts: Record<string, boolean>;
  };
  const scripted = Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => path !== "" && hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
  expect(scripted.length).toBeGreaterThan(0);
  expect(scripted.filter((name) => allowScripts[name] === undefined)).toEqual([]);
});

test("an installation prints at most a screen: no list of built files, no warnings of dependencies", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  expect(scripts["build"]).toMatch(
    /^rolldown -c --logLevel silent > \/dev\/null && vite build .*--logLevel error > \/dev\/null && tsc /,
  );
  expect(scripts["prepare"]).toBe("npm run build");
  expect(readFileSync(join(root, ".npmrc"), "utf8")).toBe("loglevel=error\n");
});

test("the command is a program by itself, on any Node that is on the path", async () => {
  const bin = join(root, "bin/agent.js");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  expect(await run(bin, ["--version"])).toEqual({ stdout: `${version}\n`, stderr: "" });
  expect(await run(process.execPath, [bin, "--version"])).toEqual({ stdout: `${version}\n`, stderr: "" });
});
