import { isJsonObject } from "../../src/shared/json/json.ts";
import { openRpcDocument } from "../../src/rpc/index.ts";

interface Schema {
  readonly [key: string]: unknown;
}

interface Document {
  readonly methods: readonly {
    readonly name: string;
    readonly summary: string;
    readonly params: readonly {
      readonly name: string;
      readonly required: boolean;
      readonly schema: Schema;
    }[];
    readonly result: { readonly schema: Schema };
  }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly "x-events": readonly {
    readonly type: string;
    readonly summary: string;
    readonly payload?: Schema;
  }[];
  readonly "x-server-requests": readonly {
    readonly name: string;
    readonly params: Schema;
    readonly result: Schema;
  }[];
}

/** The reference of the protocol, as it stands in docs/gateway-reference.md. */
export function referenceText(): string {
  // What the function makes has this form; the test of the text would show anything else.
  const document = openRpcDocument("0") as unknown as Document;
  const methods = document.methods.map(({ name, summary, params, result }) => {
    const given = params.map(
      (param) =>
        `${param.name}${param.required ? "" : "?"}: ${typeText(param.schema)}${defaultText(param.schema)}`,
    );
    return `### ${name}\n\n${summary}\n\n\`\`\`\n{${given.join(", ")}}\n→ ${typeText(result.schema)}\n\`\`\`\n`;
  });
  const events = document["x-events"].map(
    ({ type, summary, payload }) =>
      `### ${type}\n\n${summary}\n\n\`\`\`\n${payload === undefined ? "{}" : typeText(payload)}\n\`\`\`\n`,
  );
  const requests = document["x-server-requests"].map(
    ({ name, params, result }) =>
      `### ${name}\n\n\`\`\`\n${typeText(params)}\n→ ${typeText(result)}\n\`\`\`\n`,
  );
  const shapes = Object.entries(document.components.schemas).map(
    ([name, schema]) => `### ${name}\n\n\`\`\`\n${typeText(schema)}\n\`\`\`\n`,
  );
  return [
    "# Gateway reference\n",
    "Made from the protocol's table; `agent rpc --schema` prints it for programs. What it means stands in",
    "[gateway.md](gateway.md). `?` marks what may be missing.\n",
    "## Methods\n",
    ...methods,
    "## Events\n",
    "Notifications of the method `event`: `{type, session_id?, seq?, at?, payload}`. `at` is when it happened, Unix seconds, of an event from before the client came; text has none.\n",
    ...events,
    "## Requests of the host\n",
    "To clients with the capability `server_requests`.\n",
    ...requests,
    "## Shapes\n",
    ...shapes,
  ].join("\n");
}

const defaultText = ({ default: value }: Schema): string =>
  value === undefined ? "" : ` = ${JSON.stringify(value)}`;

/** A schema as people write types. */
function typeText(schema: unknown): string {
  if (!isJsonObject(schema)) return "any";
  const { $ref, enum: words, const: word, anyOf, oneOf, type } = schema;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  if (Array.isArray(words)) return words.map((each) => JSON.stringify(each)).join(" | ");
  if (word !== undefined) return JSON.stringify(word);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return [...new Set(choices.map(typeText))].join(" | ");
  if (type === "array") return arrayText(schema);
  if (type === "object") return objectText(schema);
  return typeof type === "string" ? type : "any";
}

function arrayText({ items, prefixItems }: Schema): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map(typeText).join(", ")}]`;
  const text = typeText(items);
  return text.includes(" | ") ? `(${text})[]` : `${text}[]`;
}

function objectText({ properties, required, additionalProperties }: Schema): string {
  if (!isJsonObject(properties)) return `{[name]: ${typeText(additionalProperties)}}`;
  const needed = Array.isArray(required) ? required : [];
  const entries = Object.entries(properties).map(
    ([name, type]) => `${name}${needed.includes(name) ? "" : "?"}: ${typeText(type)}`,
  );
  return `{${entries.join(", ")}}`;
}
