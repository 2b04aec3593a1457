import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";

test("a profile is a home of its own, chosen by -p or AGENT_PROFILE", async () => {
  await using stage = new CommandStage();
  const home = join(stage.home, "profiles", "work");
  const made = await stage.ask(["profile", "create", "work"]);
  expect([made.code, made.stdout.split("\n")[0]]).toEqual([0, home]);
  expect(statSync(home).mode & 0o777).toBe(0o700);

  for (const flags of [["-p", "work"], ["--profile", "work"], ["--profile=work"], ["-pwork"]])
    expect((await stage.ask([...flags, "run", "count to 2"])).stdout).toBe("1 2\n");
  stage.env["AGENT_PROFILE"] = "work";
  const there = JSON.parse((await stage.ask(["sessions", "--json"])).stdout) as readonly unknown[];
  expect(there).toHaveLength(4);
  const elsewhere = JSON.parse((await stage.ask(["-p", "default", "sessions", "--json"])).stdout) as unknown;
  expect(elsewhere).toEqual([]);

  const listed = JSON.parse((await stage.ask(["profile", "list", "--json"])).stdout) as unknown;
  expect(listed).toEqual([
    { name: "default", home: stage.home, current: false },
    { name: "work", home, current: true },
  ]);
});

test("its name is the model's name on the API, unless something else is set", async () => {
  await using stage = new CommandStage();
  await stage.ask(["profile", "create", "work"]);
  stage.env["AGENT_PROFILE"] = "work";
  const { url } = await startGateway(stage);
  const headers = { authorization: `Bearer ${GATEWAY_KEY}` };
  const models = await (await fetch(`${url}/v1/models`, { headers })).json();
  expect(models).toMatchObject({ data: [{ id: "work" }] });
});

test("one that was not made is refused with what was meant, and so is a name that leads elsewhere", async () => {
  await using stage = new CommandStage();
  await stage.ask(["profile", "create", "work"]);
  const said = async (...args: readonly string[]): Promise<string> => {
    const { code, stderr } = await stage.ask(args);
    expect(code).not.toBe(0);
    return stderr;
  };
  expect(await said("-p", "wrok", "run", "hi")).toContain("Did you mean work?");
  expect(await said("-p", "home", "run", "hi")).toContain("`agent profile create home` makes it");
  for (const name of ["../x", "a/b", ".hidden", "default"]) {
    expect(await said("profile", "create", name)).toContain("cannot be the name of a profile");
    expect(await said("profile", "delete", name, "--yes")).not.toBe("");
  }
  expect(await said("--plain", "-p", "work")).toContain("It stands before all else");
  expect(await said("profile", "create", "work")).toContain("There is a profile work already");
  expect(existsSync(join(stage.home, "profiles", "wrok"))).toBe(false);
});

test("it is deleted with all that is in it, when that is meant", async () => {
  await using stage = new CommandStage();
  const home = join(stage.home, "profiles", "work");
  await stage.ask(["profile", "create", "work"]);
  await stage.ask(["-p", "work", "run", "hi"]);
  expect(await stage.ask(["profile", "delete", "work"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("add --yes"),
  });
  expect(existsSync(home)).toBe(true);
  expect((await stage.ask(["profile", "delete", "work", "--yes"])).code).toBe(0);
  expect((await stage.ask(["profile"])).stdout).toBe(`* default  ${stage.home}\n`);
});
