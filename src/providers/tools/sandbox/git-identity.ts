import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The settings of a person that commits need and that hold no secret. */
const TAKEN = /^(user\.(name|email)|init\.defaultbranch|core\.autocrlf|pull\.rebase|merge\.conflictstyle)$/i;

/** The text of a `.gitconfig` with a person's name, and nothing that could hold a key or start a program. */
export async function gitIdentity(home: string): Promise<string> {
  const files = [join(home, ".config/git/config"), join(home, ".gitconfig")];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  const found = new Map<string, string>();
  for (const text of texts) {
    let section = "";
    for (const line of text.split(/\r?\n/)) {
      section =
        /^\s*\[\s*([\w.-]+)\s*\]/.exec(line)?.[1] ?? (line.trimStart().startsWith("[") ? "" : section);
      const [, key = "", value = ""] = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      if (TAKEN.test(`${section}.${key}`) && !value.endsWith("\\")) found.set(`${section}.${key}`, value);
    }
  }
  return [...found]
    .map(([name, value]) => {
      const [section = "", key = ""] = name.split(".");
      return `[${section}]\n\t${key} = ${value}\n`;
    })
    .join("");
}
