import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import type { ContainerSettings } from "../../providers/tools/index.ts";
import { COUNT, key } from "./block.ts";

/** Arguments of engines that open no wall: what else a container is started with is the agent's business. */
const OPTIONS =
  /^--(?:add-host|annotation|cgroup-parent|cgroups|cpu-shares|cpuset-cpus|device|dns|dns-search|env|gpus|label|memory-reservation|memory-swappiness|platform|runtime|shm-size|storage-opt|tmpfs|ulimit)=.+$/s;

const image = z.string().regex(/^[\w][\w.:/@-]*$/, {
  error: "It is no name of an image: write name, name:tag or registry/name:tag",
});
const bytes = z.string().regex(/^[1-9]\d*[bkmg]?$/i, { error: "It is no amount: write 512m or 4g" });
const network = z
  .string()
  .regex(/^[a-zA-Z\d][\w.-]*$/, {
    error: "It is no name of a network: write proxy, none, or one of the engine's",
  })
  .refine((name) => name !== "host", {
    error:
      "The network of this machine would open its ports to the container: use proxy, none, or one of the engine's",
  });
const user = z.string().regex(/^[\w][\w.-]*(?::[\w][\w.-]*)?$/, {
  error: "It is no user: write host, image, a name, or numbers as 1000:1000",
});
const option = z.string().regex(OPTIONS, {
  error: "It is no argument that may be given, as --name=value: see docs/sandbox.md",
});

const IMAGE = "docker.io/library/buildpack-deps:stable";
const MEMORY = "4g";
const PIDS = 1024;

/** The block `container`. */
export const containerBlock = later(() =>
  z.looseObject({
    engine: key(
      z.enum(["auto", "docker", "podman"]),
      "What runs containers; `auto` is the first of both that answers.",
      "auto",
    ),
    image: key(image, "The image in which commands run, as the engine names it. It needs `/bin/sh`.", IMAGE),
    pull: key(
      z.enum(["never", "missing"]),
      "Whether an image that is not there is fetched (`missing`), or told of with the command that gets it.",
      "never",
    ),
    memory: key(bytes, "Memory of a session's container, as `512m` or `4g`.", MEMORY),
    cpus: key(z.number().min(0), "Processors of a session's container at a time, as `1.5`; 0 is all.", 0),
    pids: key(COUNT, "Processes and threads of a session's container at a time.", PIDS),
    network: key(
      network,
      "Way out: `proxy` reaches the hosts of `sandbox.hosts`, `none` nothing, any other is a network of the engine.",
      "proxy",
    ),
    user: key(
      user,
      "As whom programs run inside: `host` is you, so that files are yours, `image` the image's own, or a name or `uid:gid`.",
      "host",
    ),
    options: key(z.array(option), "Further arguments for the start of a container, as `--gpus=all`.", []),
  }),
);

/** The settings of containers. */
export function containerSettings({
  engine = "auto",
  image = IMAGE,
  pull = "never",
  memory = MEMORY,
  cpus = 0,
  pids = PIDS,
  network = "proxy",
  user = "host",
  options = [],
}: z.output<ReturnType<typeof containerBlock>>): ContainerSettings {
  const limits = { memory, pids, ...(cpus === 0 ? {} : { cpus }) };
  return { engine, image, pull, network, user, options, ...limits };
}
