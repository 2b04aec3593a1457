import { statSync } from "node:fs";
import { join } from "node:path";
import { SECRET_FILES } from "../../app/config/home-secrets.ts";
import { secretsInTree } from "../../app/config/secrets.ts";
import type { AppSettings } from "../../app/config/settings.ts";
import type { Check } from "../../app/model-setup/provider-checks.ts";

const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_DO_ANYTHING = 0o077;

/** Checks that nobody but their owner reads or changes the files that hold secrets or decide what is allowed. */
export function filesCheck(
  { paths, config }: Pick<AppSettings, "paths" | "config">,
  platform: string,
): Check {
  if (platform === "win32") return { name: "files", ok: true, text: "who may read them is not checked here" };
  const holdsSecrets = secretsInTree(config).length > 0;
  const secret = [paths.env, ...[...SECRET_FILES, "front/key.pem"].map((name) => join(paths.home, name))];
  const open = [
    ...openTo(paths.home, { bits: OTHERS_MAY_WRITE, mode: "700" }),
    ...openTo(paths.config, { bits: holdsSecrets ? OTHERS_MAY_DO_ANYTHING : OTHERS_MAY_WRITE, mode: "600" }),
    ...secret.flatMap((path) => openTo(path, { bits: OTHERS_MAY_DO_ANYTHING, mode: "600" })),
  ];
  return open.length === 0
    ? { name: "files", ok: true, text: "settings and secrets are their owner's alone" }
    : { name: "files", ok: false, text: open.join("; ") };
}

function openTo(
  path: string,
  { bits, mode }: { readonly bits: number; readonly mode: string },
): readonly string[] {
  const found = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((found & bits) === 0) return [];
  const what = (found & bits & OTHERS_MAY_WRITE) === 0 ? "be read" : "be changed";
  return [`${path} can ${what} by others (mode 0${found.toString(8)}): run \`chmod ${mode} ${path}\``];
}
