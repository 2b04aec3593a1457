import { setImmediate as nextTurn } from "node:timers/promises";
import { HostError } from "../../src/shared/errors/host-error.ts";
import type { GatewayPorts } from "../../src/rpc/index.ts";

/** What a test may look at and change of the world around a gateway. */
export interface World {
  readonly config: Record<string, unknown>;
  readonly changes: (readonly [keys: readonly string[], value: unknown])[];
  readonly files: Map<string, Uint8Array | string>;
  bypass: boolean;
}

/** Ports of a world that is only in memory. */
export function worldPorts(): { readonly world: World; readonly ports: GatewayPorts } {
  const world: World = { config: {}, changes: [], files: new Map(), bypass: false };
  const kept = new Map<string, string>();
  const keep = (name: string, content: string): Promise<string> => {
    const path = `/kept/${kept.size}-${name}`;
    kept.set(path, content);
    return Promise.resolve(path);
  };
  const ports: GatewayPorts = {
    sessionFolder: () => "/work",
    about: { version: "1.2.3", profile: "default", home: "/home", epoch: "epoch-1" },
    config: {
      values: () => world.config,
      refresh: () => Promise.resolve(0),
      change(changes) {
        world.changes.push(...changes);
        for (const [keys, value] of changes) setAt(world.config, keys, value);
        return Promise.resolve();
      },
      mask: (values) => values,
      bypassApprovals: (on) => void (world.bypass = on),
    },
    environment: {
      reload: () => Promise.resolve(0),
    },
    files: {
      look(path, cwd) {
        const absolute = path.startsWith("/") ? path : `${cwd}/${path}`;
        const plain = absolute.replaceAll("/./", "/").replace(/\/\.?$/, "");
        if (world.files.has(plain)) return Promise.resolve({ path: plain, kind: "file" });
        const inside = [...world.files.keys()].some((file) => file.startsWith(`${plain}/`));
        return Promise.resolve(inside || plain === "/work" ? { path: plain, kind: "directory" } : undefined);
      },
      readImage: (path) =>
        Promise.resolve({ path, bytes: Buffer.from(world.files.get(path) ?? ""), mediaType: "image/png" }),
      readText(path, most) {
        const text = String(world.files.get(path) ?? "");
        const whole = text.length > most ? { whole: text.length } : {};
        const sensitive = path.endsWith(".env") ? { sensitive: true as const } : {};
        return Promise.resolve({ text: text.slice(0, most), ...whole, ...sensitive });
      },
      list: () => Promise.resolve([]),
      walk: () => Promise.resolve([...world.files.keys()].map((path) => path.replace(/^\/work\//, ""))),
      branch: () => Promise.resolve("main"),
    },
    commands: {
      shell(command, { signal, onOutput }) {
        onOutput?.(`${command} says `);
        onOutput?.("hello");
        // As long as a real one takes, other requests are carried out meanwhile.
        if (command !== "wait") return nextTurn({ code: 0, stdout: `ran ${command}`, stderr: "" });
        const { promise, reject } = Promise.withResolvers<never>();
        signal.addEventListener("abort", () => reject(new Error("stopped")));
        return promise;
      },
      agent: (argv) => Promise.resolve({ code: 0, stdout: `agent ${argv.join(" ")}`, stderr: "" }),
      clipboardImage: () => Promise.resolve(undefined),
      stopProcesses: () => Promise.resolve(0),
    },
    processes: {
      list: () => [],
      toBackground: () => Promise.resolve([]),
      output: () => undefined,
      end: () => Promise.resolve(undefined),
    },
    archive: {
      savePaste: (text) => keep("paste", text),
      loadPaste: (path) => Promise.resolve(kept.get(path)),
      saveImage: (_bytes, name) => keep(name, ""),
      saveConversation: (id, content) => keep(id, content),
      saveTree: (tree) => keep("tree", JSON.stringify(tree)),
      listTrees: () => Promise.resolve([]),
      loadTree(path) {
        const tree = kept.get(path);
        return tree === undefined
          ? Promise.reject(new HostError("not_found", `There is no ${path}.`))
          : Promise.resolve(JSON.parse(tree));
      },
    },
    diff: ({ path }) => `diff of ${path}`,
  };
  return { world, ports };
}

function setAt(block: Record<string, unknown>, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) {
    const inner = (block[key] ??= {}) as Record<string, unknown>;
    setAt(inner, rest, value);
  } else if (value === undefined) delete block[key];
  else block[key] = value;
}
