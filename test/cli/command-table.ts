/** A command as its help describes it. */
interface HelpText {
  /** Its words after `agent`, and its arguments. */
  readonly usage: string;
  readonly about: string;
  readonly options: readonly string[];
}

/** Options that every command has. */
const EVERYWHERE = /^-h, --help$/;

function readHelp(help: string): HelpText {
  const [usage = "", about = ""] = help.split("\n\n");
  const listed = help.split("\nOptions:\n")[1]?.split("\n\n")[0] ?? "";
  const options = [...listed.matchAll(/^ {2}(-\S.*?)(?: {2}.*)?$/gm)].map(([, option = ""]) => option);
  return {
    usage: usage.replace(/^Usage: /, "").replace(/ \[(options|command)\]/g, ""),
    about: about.replaceAll(/\s+/g, " "),
    options: options.filter((option) => !EVERYWHERE.test(option)),
  };
}

const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;

/** The table of all commands in docs/command-line.md, made of their helps. */
export function commandTable(helps: readonly string[]): string {
  const rows = helps.map((help) => {
    const { usage, about, options } = readHelp(help);
    return `| ${code(usage)} | ${about.replaceAll("|", "\\|")} | ${options.map(code).join(", ")} |\n`;
  });
  return `| Command | What it does | Options |\n|---|---|---|\n${rows.join("")}`;
}
