import { expect, test } from "vitest";
import { containerBlock, containerSettings } from "../../../src/app/config/container.ts";

const problemOf = (block: unknown): string | undefined =>
  containerBlock()
    .safeParse(block)
    .error?.issues.map(({ message }) => message)
    .join("; ");

test("without a word, containers are bounded and reach listed hosts only", () => {
  expect(containerSettings({})).toEqual({
    engine: "auto",
    image: "docker.io/library/buildpack-deps:stable",
    pull: "never",
    memory: "4g",
    pids: 1024,
    network: "proxy",
    user: "host",
    options: [],
  });
  expect(containerSettings({ cpus: 1.5, memory: "512m" })).toMatchObject({ cpus: 1.5, memory: "512m" });
});

test("arguments that open no wall are taken", () => {
  const options = ["--gpus=all", "--runtime=runsc", "--shm-size=1g", "--ulimit=nofile=1024:1024"];
  expect(problemOf({ options })).toBeUndefined();
});

const OPENING = [
  "--privileged",
  "--privileged=true",
  "--cap-add=ALL",
  "--security-opt=seccomp=unconfined",
  "--pid=host",
  "--ipc=host",
  "--network=host",
  "--userns=host",
  "--volume=/:/host",
  "--mount=type=bind,source=/,target=/host",
  "-v=/:/host",
  "--read-only=false",
  "--entrypoint=/bin/sh",
  "--user=0",
  "alpine",
];

test.each(OPENING)("the argument %s, which would open a wall, is refused", (option) => {
  expect(problemOf({ options: [option] })).toContain("It is no argument that may be given");
});

test("names of images, amounts, networks and users are checked", () => {
  expect(problemOf({ image: "--privileged" })).toContain("It is no name of an image");
  expect(problemOf({ memory: "much" })).toContain("It is no amount");
  expect(problemOf({ network: "host" })).toContain("would open its ports");
  expect(problemOf({ network: "container:other" })).toContain("It is no name of a network");
  expect(problemOf({ user: "-1" })).toContain("It is no user");
  expect(problemOf({ pids: 0 })).toBeDefined();
  expect(
    problemOf({ image: "ghcr.io/me/dev@sha256:abc", memory: "2g", network: "db_net", user: "1000:1000" }),
  ).toBeUndefined();
});
