import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../kit/free-port.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "agent-readme-"));
const project = join(folder, "project");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<
  "dependencies" | "optionalDependencies",
  Record<string, string>
>;

interface Snippet {
  readonly language: string;
  readonly text: string;
}

const snippets: readonly Snippet[] = [
  ...readFileSync(join(root, "README.md"), "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm),
].map(([, language = "", text = ""]) => ({ language, text }));

/** Packs the package, and puts it into a new project as npm would; its dependencies are those of this checkout. */
async function install(): Promise<void> {
  const packed = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  const own = join(project, "node_modules/agent-host");
  mkdirSync(own, { recursive: true });
  await run("tar", ["-xzf", join(folder, filename), "-C", own, "--strip-components=1"]);
  const { dependencies, optionalDependencies } = manifest;
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), "@types/node"]) {
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    if (existsSync(join(root, "node_modules", name))) symlinkSync(join(root, "node_modules", name), link);
  }
  mkdirSync(join(project, "node_modules/.bin"));
  symlinkSync("../agent-host/bin/agent.js", join(project, "node_modules/.bin/agent"));
  await run("git", ["init", "-q"], { cwd: project });
}

const environment = (): Record<string, string> => ({
  PATH: `${join(project, "node_modules/.bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  HOME: folder,
});

interface End {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a line as somebody would who pasted it, without a terminal; `stopAt` ends it once that was printed. */
async function paste(
  line: string,
  { env = {}, stopAt }: { env?: Record<string, string>; stopAt?: RegExp } = {},
): Promise<End> {
  const child = spawn("bash", ["-c", line], {
    cwd: project,
    env: { ...environment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  const group = -(child.pid ?? 0);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (stopAt?.test(output) === true) process.kill(group, "SIGTERM");
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

beforeAll(install);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the README's snippets, in a new project with the packed package", () => {
  test("the program runs as it stands, and has types", async () => {
    const programs = snippets.filter(({ language }) => language === "ts");
    expect(programs).toHaveLength(1);
    writeFileSync(join(project, "try.ts"), programs[0]?.text ?? "");
    const { stdout } = await run(process.execPath, ["try.ts"], { cwd: project, env: environment() });
    expect(stdout).toBe("1 2 3");
    const compiler = join(root, "node_modules/.bin/tsc");
    const options = "--noEmit --strict --target esnext --module nodenext --types node --skipLibCheck try.ts";
    writeFileSync(join(project, "package.json"), '{"type": "module"}');
    await run(compiler, options.split(" "), { cwd: project });
  });

  /** Lines that wait for somebody, or go on until they are stopped: what they say then. */
  const STOPPED: Readonly<Record<string, RegExp>> = { "agent rpc --listen": /gateway is on ws:/ };
  /** Lines that need a terminal, and say so. */
  const ON_A_TERMINAL: Readonly<Record<string, RegExp>> = {
    "agent setup": /There is no terminal to ask questions on/,
    "agent --resume": /./,
    'agent "Fix the failing test"': /A chat that begins with a prompt needs a terminal/,
  };

  test("each line of a shell does what its comment says", { timeout: 240_000 }, async () => {
    const lines = snippets
      .filter(({ language, text }) => language === "sh" && !/^npm |^export /m.test(text))
      .flatMap(({ text }) => text.trim().split("\n"))
      .map((line) => line.replace(/\s+#.*$/, ""));
    expect(lines.length).toBeGreaterThan(12);
    for (const line of lines) {
      const stopAt = STOPPED[line];
      const { code, output } = await paste(line, stopAt === undefined ? {} : { stopAt });
      const words = ON_A_TERMINAL[line];
      if (words !== undefined) expect(output, line).toMatch(words);
      else expect([code, line], output).toEqual([0, line]);
    }
  });

  test("the gateway answers the request that is pasted behind its start", async () => {
    const port = String(await freePort());
    const block = snippets.find(({ text }) => text.startsWith("export API_SERVER_ENABLED"))?.text ?? "";
    // The port of the README may be taken on this machine.
    const script = `${block.replaceAll("8642", port)}\nkill %1; wait`;
    const { output } = await paste(script, { env: { API_SERVER_PORT: port } });
    expect(output).toMatch(/"content":\s*"[^"]+/);
  });
});
