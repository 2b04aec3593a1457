import type { CommandStage } from "../../kit/command.ts";
import type { ModelServer } from "../../kit/model-server/index.ts";
import type { FakePlatform } from "./fake-platform.ts";

/** A fake as a platform of a home, with what its block says in `extra`. */
export interface ConfiguredFake {
  readonly fake: Pick<FakePlatform, "account" | "block" | "env">;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Writes the configuration of a home whose gateway is connected to fakes, by the platforms' names. */
export function configureChats(
  stage: CommandStage,
  { baseUrl }: Pick<ModelServer, "baseUrl">,
  { fakes, more = {} }: { readonly fakes: Readonly<Record<string, ConfiguredFake>>; readonly more?: object },
): void {
  const platforms = Object.entries(fakes).map(([name, { fake, extra }]) => {
    const { baseUrl: base_url, from } = fake.account;
    const { extra: own, ...block } = fake.block ?? { base_url, from };
    Object.assign(stage.env, fake.env);
    return [name, { enabled: true, ...block, extra: { ...own, ...extra } }];
  });
  const model = { provider: "local", base_url: baseUrl, default: "m", context_length: 128_000 };
  // JSON is YAML.
  stage.configure(JSON.stringify({ model, platforms: Object.fromEntries(platforms), ...more }));
}
