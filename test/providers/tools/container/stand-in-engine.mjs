/* global process, Buffer */
// A stand-in for docker: it records its calls and runs commands on this machine. Arguments: its folder, then those of the engine.
import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const [, , state = "", ...args] = process.argv;
const containers = join(state, "containers");
mkdirSync(containers, { recursive: true });
appendFileSync(join(state, "calls"), `${JSON.stringify(args)}\n`);
const behaviour = JSON.parse(readFileSync(join(state, "behaviour.json"), "utf8"));
const [verb = ""] = args;
const end = (code, text = "", problem = "") => {
  process.stderr.write(problem);
  process.stdout.write(text, () => process.exit(code));
};
const valueOf = (name) => args[args.indexOf(name) + 1];
const read = (name) => JSON.parse(readFileSync(join(containers, name), "utf8"));

/** Says that it hangs, by a file. */
const hang = () => {
  writeFileSync(join(state, "hangs"), "");
  setInterval(() => undefined, 1000);
};

function run() {
  if (behaviour.runFails) return end(125, "", `${behaviour.runFails}\n`);
  const volumes = args.flatMap((word, i) => (word === "--volume" ? [args[i + 1]] : []));
  const own = volumes.find((volume) => volume.includes(":/run/agent:"))?.split(":")[0];
  const name = valueOf("--name");
  const file = join(containers, name);
  writeFileSync(file, JSON.stringify({ pid: process.pid, own, label: valueOf("--label") }));
  const stop = () => {
    rmSync(file, { force: true });
    process.exit(0);
  };
  if (behaviour.outlives !== true) process.stdin.on("end", stop);
  process.stdin.resume();
  process.on("SIGTERM", stop);
  setInterval(() => existsSync(file) || process.exit(137), 20);
  if (behaviour.neverReady === true) hang();
  else process.stdout.write("agent-ready perl python3 nc bash\n");
}

function exec() {
  let i = 1;
  const env = { PATH: "/usr/bin:/bin" };
  let cwd = "/";
  for (; args[i]?.startsWith("--"); i += 1) {
    if (args[i] === "--workdir") cwd = args[(i += 1)];
    else if (args[i] === "--env") {
      const [name, ...value] = args[(i += 1)].split("=");
      env[name] = value.length > 0 ? value.join("=") : process.env[name];
    }
  }
  const name = args[i];
  if (!existsSync(join(containers, name))) return end(1, "", `No such container: ${name}\n`);
  const { own } = read(name);
  const words = args.slice(i + 1).map((word) => {
    if (!word.startsWith("/run/agent/")) return word;
    if (behaviour.endHangs === true && word.endsWith("/end")) return "/dev/stdin";
    // Of its own: another call may be reading the same script.
    const copy = join(state, `${process.pid}-${word.split("/").at(-1)}`);
    writeFileSync(copy, readFileSync(join(own, word.slice(11)), "utf8").replaceAll("/run/agent", own));
    return copy;
  });
  if (behaviour.endHangs === true && words.includes("/dev/stdin")) return hang();
  // It goes on when this program is ended, as with the real ones.
  const child = spawn(words[0], words.slice(1), { env, cwd, detached: true, stdio: "inherit" });
  child.on("error", () => process.exit(126));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGTERM" ? 143 : 137)));
}

function remove() {
  for (const name of args.slice(2)) {
    const file = join(containers, name);
    if (!existsSync(file)) continue;
    const { pid } = read(name);
    rmSync(file);
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It is over.
    }
  }
  end(0);
}

const list = () =>
  end(
    0,
    readdirSync(containers)
      .filter((name) => `label=${read(name).label}` === valueOf("--filter"))
      .map((name) => `${Buffer.from(name).toString("hex").slice(0, 12)}\n`)
      .join(""),
  );

if (behaviour.hangs === verb) hang();
else if (verb === "--version") end(0, behaviour.version ?? "Docker version 27.1.1, build stand-in\n");
else if (verb === "info") {
  if (behaviour.infoFails) end(1, JSON.stringify({ ServerErrors: [behaviour.infoFails] }));
  else
    end(
      0,
      JSON.stringify(behaviour.info ?? { ServerVersion: "27.1.1", SecurityOptions: [], MemoryLimit: true }),
    );
} else if (verb === "image")
  end(behaviour.images.includes(args.at(-1)) || existsSync(join(state, "pulled")) ? 0 : 1, "linux\n");
else if (verb === "pull") {
  if (behaviour.pullFails) end(1, "", `${behaviour.pullFails}\n`);
  else {
    writeFileSync(join(state, "pulled"), "");
    end(0);
  }
} else if (verb === "run") run();
else if (verb === "exec") exec();
else if (verb === "rm") remove();
else if (verb === "ps") list();
else end(1, "", `unknown: ${verb}\n`);
