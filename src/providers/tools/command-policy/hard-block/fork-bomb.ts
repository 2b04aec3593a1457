const LONGEST_NAME = 100;
const LONGEST_BODY = 500;

/** Whether a text defines a function that calls itself twice, or in the background. */
export function isForkBomb(command: string): boolean {
  for (const { index, 0: found } of command.matchAll(/\(\s*\)\s*\{/g)) {
    const before = command.slice(Math.max(0, index - LONGEST_NAME), index).trimEnd();
    const [name] = /[^\s;&|(){}]+$/.exec(before) ?? [];
    if (name !== undefined && multiplies(name, command, index + found.length)) return true;
  }
  for (const { index, 0: found, 1: name } of command.matchAll(/\bfunction\s+([^\s(){]{1,100})\s*\{/g)) {
    if (name !== undefined && multiplies(name, command, index + found.length)) return true;
  }
  return false;
}

function multiplies(name: string, command: string, at: number): boolean {
  const body = command.slice(at, at + LONGEST_BODY).replace(/\}.*$/s, "");
  const call = `(?:^|[\\s;&|(])${RegExp.escape(name)}`;
  return new RegExp(`${call}\\s*(?:\\|\\s*${RegExp.escape(name)}|&(?!&))`).test(body);
}
