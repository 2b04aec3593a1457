import { isJsonObject } from "../../shared/json/json.ts";
import { boundedJson } from "./bounded-json.ts";

/** The values that a template can use. */
export interface TemplateValues {
  readonly payload: unknown;
  readonly event: string;
}

export const RAW_LIMIT = 4000;
const NESTED_LIMIT = 2000;
/** However often a template repeats a large value, what comes of it stays this small. */
const LONGEST = 2_000_000;
const PLACEHOLDER = /\{([A-Za-z0-9_.]+)\}/g;

/**
 * Fills a template: `{a.b}` is `payload[a][b]`, `{__raw__}` the whole payload, `{event_type}` the event. What is not
 * there stays as it is written; a filled-in value is not scanned again.
 */
export function renderTemplate(template: string, { payload, event }: TemplateValues): string {
  let length = 0;
  return template
    .replaceAll(PLACEHOLDER, (literal, path: string) => {
      if (length > LONGEST) return "";
      const text =
        path === "__raw__"
          ? boundedJson(payload, RAW_LIMIT)
          : (valueAt(payload, path) ?? own(path, event) ?? literal);
      length += text.length;
      return text;
    })
    .slice(0, LONGEST + template.length);
}

const own = (path: string, event: string): string | undefined => (path === "event_type" ? event : undefined);

/** Own properties of objects only: lists are not indexed, and what every object inherits is nobody's payload. */
function valueAt(payload: unknown, path: string): string | undefined {
  let value = payload;
  for (const key of path.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null
    ? boundedJson(value, NESTED_LIMIT)
    : JSON.stringify(value);
}

/** The prompt of a route without a template: what happened, and the payload. */
export function defaultPrompt({ payload, event }: TemplateValues, route: string): string {
  return `Event ${JSON.stringify(event)} arrived on the webhook route ${JSON.stringify(route)}:\n\n\`\`\`json\n${boundedJson(payload, RAW_LIMIT)}\n\`\`\``;
}

/**
 * Renders the fields that a delivery target needs beside the text: strings are templates, numbers become text, all else
 * is left out.
 */
export function renderExtra(
  extra: Readonly<Record<string, unknown>>,
  values: TemplateValues,
): Readonly<Record<string, string>> {
  const rendered: Record<string, string> = {};
  for (const [key, value] of Object.entries(extra)) {
    if (typeof value === "string") rendered[key] = renderTemplate(value, values);
    else if (typeof value === "number" || typeof value === "boolean") rendered[key] = String(value);
  }
  return rendered;
}
