import { expect, test } from "vitest";
import { scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith } from "../../kit/test-host.ts";

test("a folder that is no absolute path is refused before anything is written", async () => {
  await using host = await hostWith(scriptedModel([]));
  for (const cwd of [".", "src/core", 5, {}]) {
    const options = { id: "s_1", cwd } as { id: string; cwd: string };
    await expect(host.open(options), JSON.stringify(cwd)).rejects.toMatchObject({ code: "invalid_params" });
  }
  for (const [at, cwd] of ["", "/", "C:\\work", String.raw`\\server\share`].entries())
    expect((await host.open({ id: `t_${at}`, cwd })).state.cwd).toBe(cwd);
});
