import { memoryFolder } from "../../../kit/memory-folder.ts";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, link, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import { openWorkspace, type Workspace } from "../../../../src/providers/tools/workspace/workspace.ts";
import { times } from "../../../kit/counts.ts";
import { scratch, type Scratch } from "../scratch.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function read(workspace: Workspace, path: string): Promise<string> {
  await using file = await workspace.openFile(path);
  return await file.handle.readFile("utf8");
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "nothing was thrown";
  } catch (error) {
    return error instanceof HostError ? error.code : String(error);
  }
}

interface Place extends AsyncDisposable {
  readonly dir: Scratch;
  readonly workspace: Workspace;
}

/** A workspace `in` beside a directory `out` that nothing may touch. */
async function place(platform: string): Promise<Place> {
  const dir = await scratch(memoryFolder());
  await dir.write({ "in/a/b/file.txt": "inside\n", "out/secret.txt": "outside\n" });
  const reach = { cwd: dir.at("in"), roots: [dir.at("in")] };
  return {
    dir,
    workspace: openWorkspace(reach, platform),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe.each(["linux", "darwin"])("the workspace as %s is treated", (platform) => {
  test("relative and absolute paths inside reach the same file", async () => {
    await using at = await place(platform);
    const { dir, workspace } = at;
    for (const path of [
      "a/b/file.txt",
      "./a//b/../b/file.txt",
      dir.at("in/a/b/file.txt"),
      "../in/a/b/file.txt",
    ]) {
      expect(await read(workspace, path)).toBe("inside\n");
    }
  });

  test("every spelling of a path outside is refused, for reading, listing and writing", async () => {
    await using at = await place(platform);
    const { dir, workspace } = at;
    await symlink(dir.at("out"), dir.at("in/link"));
    await symlink("../out", dir.at("in/relative"));
    await symlink("../../../out/secret.txt", dir.at("in/a/b/deep"));
    await symlink("link", dir.at("in/chain"));
    await symlink("/proc/self/cwd", dir.at("in/cwd"));
    await symlink("/proc/self/root/etc", dir.at("in/root"));
    const outside = [
      "../out/secret.txt",
      "a/../../out/secret.txt",
      dir.at("out/secret.txt"),
      "/etc/passwd",
      "/proc/self/environ",
      `${dir.at("in")}x/file`,
      "link/secret.txt",
      "relative/secret.txt",
      "chain/secret.txt",
      "a/b/deep",
      "cwd/package.json",
      "root/passwd",
      "link/new.txt",
      "link",
      "..",
    ];
    const got: string[] = [];
    for (const path of outside) {
      const read = await codeOf(workspace.openFile(path));
      const listed = await codeOf(workspace.openDirectory(path));
      const written = await codeOf(workspace.replaceFile(path, encode("x")));
      got.push(`${path}: ${read} ${listed} ${written}`);
    }
    const refused = "outside_workspace";
    expect(got).toEqual(outside.map((path) => `${path}: ${refused} ${refused} ${refused}`));
    expect(await readdir(dir.at("out"))).toEqual(["secret.txt"]);
    expect(await readFile(dir.at("out/secret.txt"), "utf8")).toBe("outside\n");
  });

  test("the refusal names the path as it was written and what is allowed", async () => {
    await using at = await place(platform);
    await expect(at.workspace.openFile("../out/secret.txt")).rejects.toThrow(
      `../out/secret.txt is outside the workspace ${at.dir.at("in")}; use a path inside it`,
    );
  });

  test("links that stay inside are followed, also through `..`, other roots and absolute targets", async () => {
    await using at = await place(platform);
    const { dir } = at;
    await dir.write({ "second/other.txt": "second\n" });
    const roots = [dir.at("in"), dir.at("second")];
    const workspace = openWorkspace({ cwd: dir.at("in"), roots }, platform);
    await symlink("a/b", dir.at("in/short"));
    await symlink("../../in/./a/../a/b/file.txt", dir.at("in/a/back"));
    await symlink(dir.at("second"), dir.at("in/absolute"));
    await symlink("short/../b/file.txt", dir.at("in/up"));
    expect(await read(workspace, "short/file.txt")).toBe("inside\n");
    expect(await read(workspace, "a/back")).toBe("inside\n");
    expect(await read(workspace, "absolute/other.txt")).toBe("second\n");
    expect(await read(workspace, "up")).toBe("inside\n");
    await workspace.replaceFile("absolute/other.txt", encode("written\n"));
    expect(await readFile(dir.at("second/other.txt"), "utf8")).toBe("written\n");
  });

  test("links in a circle end with an error", async () => {
    await using at = await place(platform);
    await symlink("two", at.dir.at("in/one"));
    await symlink("one", at.dir.at("in/two"));
    await expect(at.workspace.openFile("one")).rejects.toThrow("too many symbolic links");
  });

  test("a root that is reached through a link works by both of its names", async () => {
    await using at = await place(platform);
    const { dir } = at;
    await symlink(dir.at("in"), dir.at("alias"));
    const workspace = openWorkspace({ cwd: dir.at("alias"), roots: [dir.at("alias")] }, platform);
    expect(await read(workspace, "a/b/file.txt")).toBe("inside\n");
    expect(await read(workspace, dir.at("in/a/b/file.txt"))).toBe("inside\n");
    expect(await codeOf(workspace.openFile(dir.at("out/secret.txt")))).toBe("outside_workspace");
  });

  test("a root inside another root cannot be turned into a link to the outside", async () => {
    await using at = await place(platform);
    const { dir } = at;
    await symlink(dir.at("out"), dir.at("in/sub"));
    const workspace = openWorkspace({ cwd: dir.at("in"), roots: [dir.at("in/sub"), dir.at("in")] }, platform);
    expect(await codeOf(workspace.openFile("sub/secret.txt"))).toBe("outside_workspace");
  });

  test("special files are refused and a FIFO does not hang", async () => {
    await using at = await place(platform);
    const { dir, workspace } = at;
    execFileSync("bash", ["-c", `mkfifo ${dir.at("in/fifo")}`]);
    const server = createServer().listen(dir.at("in/socket"));
    await once(server, "listening");
    for (const name of ["fifo", "socket"]) {
      await expect(workspace.openFile(name)).rejects.toThrow(`${name} is not an ordinary file`);
      await expect(workspace.replaceFile(name, encode("x"))).rejects.toThrow("is not an ordinary file");
    }
    server.close();
    const everything = openWorkspace({ cwd: "/", roots: ["/"] }, platform);
    expect(await codeOf(everything.openFile("/dev/zero"))).toBe("tool_failed");
    expect(await codeOf(everything.openFile("/proc/self/environ"))).toBe("tool_failed");
    expect(await codeOf(everything.openFile("/proc/self/root/proc/version"))).toBe("tool_failed");
  });

  test("wrong paths are clear errors", async () => {
    await using at = await place(platform);
    const { workspace } = at;
    await expect(workspace.openFile("")).rejects.toThrow("The path is empty");
    await expect(workspace.openFile("a\0b")).rejects.toThrow("NUL");
    await expect(workspace.openFile("n".repeat(5000))).rejects.toThrow("the name is too long");
    await expect(workspace.openFile("a/b")).rejects.toThrow("a/b is a directory, not a file");
    await expect(workspace.openFile(".")).rejects.toThrow(". is a directory, not a file");
    await expect(workspace.openFile("a/missing")).rejects.toThrow("File not found: a/missing");
    await expect(workspace.openFile("no/such")).rejects.toThrow("there is no directory no");
    await expect(workspace.openFile("a/b/file.txt/x")).rejects.toThrow("file.txt is not a directory");
    await expect(workspace.openFile("~/x")).rejects.toThrow("`~` is not expanded");
    await expect(workspace.openDirectory("a/b/file.txt")).rejects.toThrow("is not a directory");
    await expect(workspace.replaceFile("a", encode("x"))).rejects.toThrow("a is a directory, not a file");
  });

  test("a new file gets ordinary permissions, a replaced one keeps its own", async () => {
    await using at = await place(platform);
    const { dir, workspace } = at;
    await workspace.replaceFile("new/deep/file.txt", encode("new\n"), null);
    const mode = (await stat(dir.at("in/new/deep/file.txt"))).mode & 0o777;
    expect(mode).toBe(0o644 & ~process.umask());
    await writeFile(dir.at("in/run.sh"), "old");
    await chmod(dir.at("in/run.sh"), 0o751);
    await workspace.replaceFile("run.sh", encode("new"));
    expect((await stat(dir.at("in/run.sh"))).mode & 0o777).toBe(0o751);
    expect(await readdir(dir.at("in"))).toEqual(["a", "new", "run.sh"]);
  });

  test("writing replaces one name only, so that another hard link keeps its content", async () => {
    await using at = await place(platform);
    const { dir, workspace } = at;
    await link(dir.at("out/secret.txt"), dir.at("in/hard"));
    expect(await read(workspace, "hard")).toBe("outside\n");
    await workspace.replaceFile("hard", encode("changed\n"));
    expect(await readFile(dir.at("out/secret.txt"), "utf8")).toBe("outside\n");
    expect(await read(workspace, "hard")).toBe("changed\n");
  });

  test("a file that changed since it was looked at is left alone", async () => {
    await using at = await place(platform);
    const { workspace } = at;
    const mark = await workspace.replaceFile("a/x", encode("one"), null);
    expect(await codeOf(workspace.replaceFile("a/x", encode("two"), null))).toBe("tool_failed");
    const next = await workspace.replaceFile("a/x", encode("two"), mark);
    await expect(workspace.replaceFile("a/x", encode("three"), mark)).rejects.toThrow("read it again");
    await workspace.replaceFile("a/x", encode("three"), next);
    expect(await read(workspace, "a/x")).toBe("three");
    expect(await readdir(at.dir.at("in/a"))).toEqual(["b", "x"]);
  });

  test("an open directory shows and opens its entries, but follows none of its links", async () => {
    await using at = await place(platform);
    const { dir, workspace } = at;
    await symlink(dir.at("out"), dir.at("in/a/link"));
    await using directory = await workspace.openDirectory("a");
    expect(await directory.entries()).toEqual([
      { name: "b", kind: "directory" },
      { name: "link", kind: "symlink" },
    ]);
    expect(await directory.directory("link")).toBeUndefined();
    expect(await directory.file("link")).toBeUndefined();
    await using below = await directory.directory("b");
    await using file = await below?.file("file.txt");
    expect(await file?.handle.readFile("utf8")).toBe("inside\n");
  });

  test("the real path is known also of what is not there yet", async () => {
    await using at = await place(platform);
    const { dir, workspace } = at;
    await symlink("a", dir.at("in/link"));
    expect(await workspace.realPath("link/x/y/z")).toBe(dir.at("in/a/x/y/z"));
    await symlink(dir.at("out"), dir.at("in/bad"));
    expect(await codeOf(workspace.realPath("bad/x/y"))).toBe("outside_workspace");
  });

  test("nothing stays open", async () => {
    await using at = await place(platform);
    const { dir, workspace } = at;
    await symlink("a/../a/b", dir.at("in/short"));
    const open = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
    const before = await open();
    for (let i = 0; i < 20; i += 1) {
      await read(workspace, "short/file.txt");
      await codeOf(workspace.openFile("../out/x"));
      await codeOf(workspace.openFile("short/missing"));
      await codeOf(workspace.openFile("short/file.txt/x"));
      await codeOf(workspace.openDirectory("short/file.txt"));
      await codeOf(workspace.replaceFile("short", encode("x")));
      await workspace.replaceFile("short/file.txt", encode("inside\n"));
      await workspace.realPath("short/none/none");
      await using directory = await workspace.openDirectory("short");
      await directory.directory("file.txt");
    }
    expect(await open()).toBeLessThanOrEqual(before + 1);
  });
});

test("a twin that swaps names for links while files are read and written gets nothing in or out", async () => {
  await using dir = await scratch(memoryFolder());
  await dir.write({
    "in/dir/file.txt": "inside",
    "in/file.txt": "inside",
    "out/dir/file.txt": "OUTSIDE",
    "out/file.txt": "OUTSIDE",
  });
  await mkdir(dir.at("out/dir/sub"));
  const twin = spawn(process.execPath, [`${import.meta.dirname}/twin.ts`, dir.at("in"), dir.at("out")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(twin.stdout)[Symbol.asyncIterator]();
  await lines.next();
  const workspace = openWorkspace({ cwd: dir.at("in"), roots: [dir.at("in")] }, "linux");
  const attempts = times(20_000);
  const seen = new Map<string, number>();
  for (let i = 0; i < attempts; i += 1) {
    const path = i % 2 === 0 ? "dir/file.txt" : "file.txt";
    const work =
      i % 8 < 6 ? read(workspace, path) : workspace.replaceFile(path, encode("inside")).then(() => "written");
    const result = await work.catch((error: unknown) => (error instanceof HostError ? error.code : "?"));
    seen.set(result, (seen.get(result) ?? 0) + 1);
  }
  twin.stdin.end();
  const { value: swaps } = await lines.next();
  expect(Number(swaps)).toBeGreaterThan(0);
  expect([...seen.keys()].filter((result) => /OUTSIDE|\?/.test(result))).toEqual([]);
  expect(await readdir(dir.at("out"), { recursive: true })).toEqual([
    "dir",
    "file.txt",
    "dir/file.txt",
    "dir/sub",
  ]);
  expect(await readFile(dir.at("out/dir/file.txt"), "utf8")).toBe("OUTSIDE");
  expect(await readFile(dir.at("out/file.txt"), "utf8")).toBe("OUTSIDE");
  expect(seen.get("inside")).toBeGreaterThan(0);
  console.log(`${attempts} attempts against ${swaps} swaps:`, Object.fromEntries(seen));
}, 600_000);
