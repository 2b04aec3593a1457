import { openHostlessModels } from "./models-only.ts";
import { changeConfigFile } from "../../app/config/config-file.ts";
import { makeHome } from "../../app/config/home.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";

/** `agent model`: shows the default and what can be chosen; with an argument, makes it the default in `config.yaml`. */
export async function model(
  io: Io,
  { choice, json }: { readonly choice: string | undefined; readonly json: boolean },
): Promise<number> {
  await using opened = await openHostlessModels(io);
  const { models, settings } = opened;
  if (choice !== undefined) {
    const chosen = models.resolve(models.parse(choice));
    makeHome(settings.paths);
    await changeConfigFile(settings.paths.config, [
      [["model", "provider"], chosen.provider],
      [["model", "default"], chosen.name],
    ]);
    await write(io.stdout, `Default model: ${chosen.provider}:${chosen.name}\n`);
    return EXIT.completed;
  }
  const current = models.resolve({});
  const listed = await models.list(new AbortController().signal);
  if (json) {
    const list = listed.map(({ provider, model: name, label, contextLength, current: chosen }) => ({
      provider,
      model: name,
      label: label ?? null,
      context_length: contextLength ?? null,
      current: chosen,
    }));
    await write(io.stdout, `${JSON.stringify(list, undefined, 2)}\n`);
    return EXIT.completed;
  }
  const lines = listed.map(({ provider, model: name, label, current: chosen }) => {
    return `${chosen ? "*" : " "} ${provider}:${name}${label === undefined ? "" : `  ${label}`}\n`;
  });
  await write(io.stdout, `Default model: ${current.provider}:${current.name}\n${lines.join("")}`);
  return EXIT.completed;
}
