import { modelChoice } from "../ports/persona.ts";
import { groupDigits } from "../../shared/text/format.ts";
import type { ContextPart } from "../session/context-parts.ts";
import { defineCommands, done } from "./slash-command.ts";

/** The command that shows what fills the model's window. */
export const CONTEXT_COMMAND = defineCommands("Info", [
  {
    name: "context",
    description: "Show what fills the model's window, as a picture",
    async withSession(session, _argument, { host }) {
      const parts = await session.contextParts();
      const { services } = host;
      const { contextLength, provider, name } = services.models().resolve(modelChoice(session.state));
      const used = parts.reduce((sum, { tokens }) => sum + tokens, 0);
      const { contextTokens } = session.state;
      const { compression } = services.policy();
      const measured = contextTokens === 0 ? "" : ` The last one took ${groupDigits(contextTokens)}.`;
      const at = Math.round(compression.at * contextLength);
      return done(
        [
          `${provider}:${name} takes ${groupDigits(contextLength)} tokens. The next request has about ${groupDigits(used)} (${percent(used, contextLength)}).${measured}`,
          "",
          ...picture(parts, contextLength),
          "",
          ...parts.map((part, index) => legend(LETTERS.charAt(index), part, contextLength)),
          legend(FREE, { name: "Free", tokens: Math.max(0, contextLength - used) }, contextLength),
          ...(compression.enabled
            ? ["", `At ${groupDigits(at)} the older part is summarized by itself; /compress does it now.`]
            : []),
        ].join("\n"),
      );
    },
  },
]);

/** The parts in the picture: letters, so that it needs no colour. */
const LETTERS = "ABCDEFGH";
const FREE = "·";
const ROWS = 5;
const COLUMNS = 40;

/** The window as cells; a part has as many as its share, and one at least. */
function picture(parts: readonly ContextPart[], contextLength: number): readonly string[] {
  const cells = ROWS * COLUMNS;
  const drawn = parts
    .map(({ tokens }, index) =>
      LETTERS.charAt(index).repeat(Math.max(1, Math.round((tokens / contextLength) * cells))),
    )
    .join("")
    .padEnd(cells, FREE)
    .slice(0, cells);
  return Array.from({ length: ROWS }, (_, row) => `  ${drawn.slice(row * COLUMNS, (row + 1) * COLUMNS)}`);
}

const legend = (letter: string, { name, tokens }: ContextPart, contextLength: number): string =>
  `  ${letter} ${name.padEnd(22)} ${groupDigits(tokens).padStart(9)} ${percent(tokens, contextLength).padStart(6)}`;

function percent(tokens: number, of: number): string {
  const share = (100 * tokens) / of;
  return `${share > 0 && share < 1 ? "<1" : Math.round(share)} %`;
}
