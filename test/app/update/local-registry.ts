import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const NAME = "agent-host";

/** A registry on this machine that has this program under several versions. */
export class LocalRegistry implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "agent-registry-"));
  readonly asked: string[] = [];
  readonly #versions = new Map<string, Buffer>();
  readonly #server = createServer((request, response) => {
    const path = request.url ?? "";
    this.asked.push(path);
    const [, version = ""] = /^\/tarballs\/(.*)\.tgz$/.exec(path) ?? [];
    const body = path === `/${NAME}` ? JSON.stringify(this.#packument()) : this.#versions.get(version);
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(body ?? "{}");
  });

  static async start(): Promise<LocalRegistry> {
    const registry = new LocalRegistry();
    await once(registry.#server.listen(0, "127.0.0.1"), "listening");
    return registry;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
  }

  /** Publishes this program under a version. @param start - code that its command runs first */
  publish(version: string, start = ""): void {
    const source = this.unpacked(version, start);
    // As `npm pack` does, which takes five times as long: it looks at each file first.
    const tar = execFileSync("tar", ["-cf", "-", "-C", dirname(source), basename(source)], {
      maxBuffer: Infinity,
    });
    this.#versions.set(version, gzipSync(tar, { level: 1 }));
  }

  /** A package as it is before it is packed, or after it was installed. */
  unpacked(version: string, start = ""): string {
    const folder = join(this.folder, version, "package");
    mkdirSync(join(folder, "bin"), { recursive: true });
    const { name, type, license, bin, files, engines } = JSON.parse(
      readFileSync(join(ROOT, "package.json"), "utf8"),
    ) as Record<string, unknown>;
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name, type, license, bin, files, engines, version }),
    );
    const command = readFileSync(join(ROOT, "bin/agent.js"), "utf8");
    const hook = "const other = inItsPlace();";
    writeFileSync(join(folder, "bin/agent.js"), command.replace(hook, `${start}\n${hook}`), { mode: 0o755 });
    cpSync(join(ROOT, "bin/package.json"), join(folder, "bin/package.json"));
    // What the command needs, and no source maps: packing takes time.
    cpSync(join(ROOT, "dist"), join(folder, "dist"), {
      recursive: true,
      filter: (path) => !/\.map$|\/dist\/testing\.js$/.test(path),
    });
    return folder;
  }

  /** Installs a version as `npm install -g` does; gives the command's file. */
  installed(version: string): string {
    const folder = this.unpacked(version);
    const link = join(this.folder, "bin-agent.js");
    symlinkSync(join(folder, "bin/agent.js"), link);
    return link;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #packument(): unknown {
    const versions = [...this.#versions].map(([version, bytes]) => {
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      const dist = { tarball: `${this.url}tarballs/${version}.tgz`, integrity };
      return [version, { name: NAME, version, bin: { agent: "bin/agent.js" }, dist }] as const;
    });
    return {
      name: NAME,
      "dist-tags": { latest: versions.at(-1)?.[0] },
      versions: Object.fromEntries(versions),
    };
  }
}
