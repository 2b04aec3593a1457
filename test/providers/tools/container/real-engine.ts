import { execFile } from "node:child_process";
import { access, chmod, copyFile, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { scratch } from "../scratch.ts";

const run = promisify(execFile);

/** An engine of this machine in which a small image could be made. */
export interface RealEngine {
  readonly engine: "docker" | "podman";
  readonly image: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The first engine that works here, or why there is none. Nothing is fetched: the image is made of programs of this machine. */
export async function findRealEngine(): Promise<{ real: RealEngine | undefined; why: string }> {
  const problems: string[] = [];
  for (const engine of ["podman", "docker"] as const) {
    try {
      return { real: await tryEngine(engine), why: "" };
    } catch (error) {
      problems.push(`${engine}: ${String(error).split("\n").at(-2) ?? String(error)}`);
    }
  }
  return { real: undefined, why: problems.join("; ").slice(0, 300) };
}

const IMAGE = "localhost/agent-test:busybox-perl";

async function tryEngine(engine: RealEngine["engine"]): Promise<RealEngine> {
  await run(engine, ["info"], { timeout: 20_000 });
  await using dir = await scratch();
  const root = dir.at("root");
  for (const folder of ["bin", "etc", "proc", "sys", "dev", "tmp", "run", "var/tmp", "home/agent"])
    await mkdir(join(root, folder), { recursive: true });
  await copyWithLibraries("/bin/busybox", root);
  const { stdout } = await run("/bin/busybox", ["--list"]);
  for (const name of stdout.split("\n").filter((each) => each !== "" && each !== "busybox"))
    await symlink("busybox", join(root, "bin", name));
  await copyWithLibraries("/usr/bin/perl", root);
  await run("tar", ["-C", root, "-cf", dir.at("image.tar"), "."]);
  await run(engine, ["import", dir.at("image.tar"), IMAGE], { timeout: 60_000 });
  for (const env of [process.env, { ...process.env, CONTAINERS_CONF: await ownSettings() }]) {
    try {
      await run(engine, ["run", "--rm", "--network", "none", IMAGE, "/bin/true"], { env, timeout: 30_000 });
      return { engine, image: IMAGE, env };
    } catch (error) {
      if (engine === "docker" || env !== process.env) continue;
      if (error instanceof Error && "killed" in error && error.killed === true) throw error;
    }
  }
  throw new Error(`no container of ${engine} starts here\n`);
}

/** Where the machine lets nobody raise limits, and its control groups are of both kinds, podman needs to be told. */
async function ownSettings(): Promise<string> {
  const path = join(import.meta.dirname, "containers.conf");
  await access(path);
  return path;
}

async function copyWithLibraries(file: string, root: string): Promise<void> {
  await copyInto(file, root);
  const { stdout } = await run("ldd", [file]).catch(() => ({ stdout: "" }));
  for (const [path] of stdout.matchAll(/\/\S+\.so\S*/g)) await copyInto(path, root);
}

async function copyInto(file: string, root: string): Promise<void> {
  const to = join(root, file);
  await mkdir(dirname(to), { recursive: true });
  await copyFile(file, to);
  await chmod(to, 0o755);
}
