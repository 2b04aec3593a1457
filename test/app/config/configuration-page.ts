import { z } from "zod";
import { RouteWire, WebhookWire } from "../../../src/automation/webhook/index.ts";
import { CONFIG_META } from "../../../src/app/config/block.ts";
import { configFile } from "../../../src/app/config/config-schema.ts";
import { DeliveryWire } from "../../../src/app/config/delivery.ts";
import { mcpServersBlock } from "../../../src/app/config/mcp-servers.ts";
import { BlockWire } from "../../../src/providers/models/config/config-schema.ts";
import {
  DELIVERY_WORDS,
  EXAMPLES,
  MCP_WORDS,
  MODEL_WORDS,
  OTHER_WORDS,
  ROUTE_WORDS,
  WEBHOOK_WORDS,
} from "./configuration-words.ts";

/** A key as the page shows it. */
export interface DocumentedKey {
  readonly path: string;
  readonly about: string;
  readonly otherwise: string;
  readonly example: unknown;
}

type Shape = Readonly<Record<string, z.ZodType>>;
type Words = (typeof OTHER_WORDS)[string];

/** Keys whose schemas have no words; the words are a table beside them, with the same keys. */
const TABLES: readonly (readonly [path: string, shape: Shape, words: Readonly<Record<string, Words>>])[] = [
  ["model", BlockWire.shape, MODEL_WORDS],
  ["mcp_servers.<name>", shapeOf(mcpServersBlock().valueType), MCP_WORDS],
  ["platforms.webhook.extra", WebhookWire.shape, WEBHOOK_WORDS],
  ["platforms.webhook.extra.routes.<name>", RouteWire.shape, ROUTE_WORDS],
  ["platforms.<platform>", DeliveryWire.shape, DELIVERY_WORDS],
];

/** Blocks that stand in `TABLES` or `OTHER_WORDS` key by key. */
const ELSEWHERE = new Set([
  "model",
  "mcp_servers",
  "personas",
  "personalities",
  "quick_commands",
  "skins",
  "terminal",
]);

/** All keys of config.yaml. */
export function documentedKeys(): readonly DocumentedKey[] {
  const own = keysOf(configFile().shape, "");
  const tables = TABLES.flatMap(([path, shape, words]) =>
    Object.keys(shape).map((name) => worded(`${path}.${name}`, words[name])),
  );
  const others = Object.entries(OTHER_WORDS).map(([path, words]) => worded(path, words));
  const enabled = {
    path: "platforms.webhook.enabled",
    about: "Switches the webhooks on.",
    otherwise: "`false`",
    example: true,
  };
  return [...own, ...others, enabled, ...tables].toSorted((a, b) =>
    compare(blockOf(a.path), blockOf(b.path)),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** The block of a key; keys that stand alone come first. */
const blockOf = (path: string): string => (path.includes(".") ? (path.split(".", 1)[0] ?? "") : "");

const worded = (path: string, [about, otherwise, example]: Words = ["", "", undefined]): DocumentedKey => ({
  path,
  about,
  otherwise: /^(found|known|none|the |that |all|what|list|asked|http with|on port|its |a |those)/.test(
    otherwise,
  )
    ? otherwise
    : `\`${otherwise}\``,
  example,
});

function keysOf(shape: Shape, above: string): readonly DocumentedKey[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const path = above + name;
    if (ELSEWHERE.has(path)) return [];
    const inner = CONFIG_META.get(schema)?.schema ?? unwrapped(schema);
    if (inner instanceof z.ZodObject) return keysOf(inner.shape, `${path}.`);
    return [keyOf(path, schema)];
  });
}

function keyOf(path: string, schema: z.ZodType): DocumentedKey {
  const meta = CONFIG_META.get(schema);
  const otherwise = meta?.default ?? (schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined);
  return {
    path,
    about: meta?.description ?? schema.description ?? "",
    otherwise: otherwise === undefined ? "none" : `\`${JSON.stringify(otherwise)}\``,
    example: EXAMPLES[path] ?? exampleOf(unwrapped(schema), otherwise),
  };
}

/** Another value than the default. */
function exampleOf(schema: z.ZodType, otherwise: unknown): unknown {
  if (schema instanceof z.ZodEnum) return schema.options.find((option) => option !== otherwise);
  if (typeof otherwise === "boolean") return !otherwise;
  if (typeof otherwise === "number")
    return otherwise === 0 ? 100 : otherwise < 1 ? otherwise / 2 : otherwise * 2;
  return otherwise;
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodPipe ? unwrapped(schema.out as z.ZodType) : schema;
}

function shapeOf(schema: unknown): Shape {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

const INTRO = `# Every key of config.yaml

Made from the schema; \`UPDATE_DOCS=1 npx vitest run test/app/config/configuration-reference.test.ts\` writes it anew. What the settings
mean together stands in [configuration.md](configuration.md). \`a.b: c\` is \`a:\` with \`b: c\` below it. Variables of the environment and
\`.env\` go before this file. \`<platform>\` stands for one of [delivery.md](delivery.md), \`<name>\` for a name of yours.
`;

/** The page as docs/configuration-reference.md has it. */
export function configurationPage(): string {
  const blocks = Map.groupBy(documentedKeys(), ({ path }) => blockOf(path));
  const sections = [...blocks].map(([block, keys]) => {
    const rows = keys.map(
      ({ path, about, otherwise, example }) =>
        `| \`${path}\` | ${about} | ${otherwise} | \`${JSON.stringify(example)}\` |`,
    );
    const title = block === "" ? "Keys by themselves" : `\`${block}\``;
    return `\n## ${title}\n\n| Key | Meaning | Default | Example |\n|---|---|---|---|\n${rows.join("\n").replaceAll("\\|", "|")}\n`;
  });
  return INTRO + sections.join("");
}
