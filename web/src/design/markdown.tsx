import { lexer, type Token, type Tokens } from "marked";
import { memo, type ReactNode, useEffect, useState } from "react";
import { isDenseMarkdown } from "../../../src/shared/text/markdown-density.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import styles from "./markdown.module.css";

/**
 * Markdown of a model as elements. HTML in it is shown as text: nothing of it becomes part of the page. A text that would
 * take long to read, or is too deep to be read or drawn, is shown as it stands.
 */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const asItStands = <p className={styles["asItStands"]}>{text}</p>;
  return (
    <div className={styles["markdown"]}>
      <ErrorBoundary of={text} otherwise={asItStands}>
        {isDenseMarkdown(text) ? asItStands : <Blocks text={text} />}
      </ErrorBoundary>
    </div>
  );
});

const Blocks = ({ text }: { readonly text: string }) => blocks(lexer(text));

const blocks = (tokens: readonly Token[]): readonly ReactNode[] =>
  tokens.map((token, at) => block(token, at));

function block(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "space":
      return null;
    case "heading":
      return (
        <p key={key} className={styles["heading"]}>
          {inline(token.tokens)}
        </p>
      );
    case "paragraph":
      return <p key={key}>{inline(token.tokens)}</p>;
    case "code":
      return <CodeBlock key={key} code={token as Tokens.Code} />;
    case "blockquote":
      return <blockquote key={key}>{blocks(token.tokens ?? [])}</blockquote>;
    case "list":
      return listOf(token as Tokens.List, key);
    case "hr":
      return <hr key={key} />;
    case "table":
      return tableOf(token as Tokens.Table, key);
    default:
      return (
        <p key={key}>{"tokens" in token && token.tokens !== undefined ? inline(token.tokens) : token.raw}</p>
      );
  }
}

const COPIED_MS = 2000;

/** @throws Error where the page came without TLS: browsers have no clipboard there */
const copy = async (text: string): Promise<void> => navigator.clipboard.writeText(text);

/** Code scrolls by itself, and is copied with a touch. */
function CodeBlock({ code: { text, lang = "" } }: { readonly code: Tokens.Code }) {
  const [state, setState] = useState<"Copy" | "Copied" | "Cannot copy">("Copy");
  useEffect(() => {
    if (state === "Copy") return undefined;
    const timer = setTimeout(() => setState("Copy"), COPIED_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <div className={styles["code"]}>
      <span className={styles["language"]}>{lang.split(/\s/, 1)[0]}</span>
      <button
        type="button"
        className={styles["copy"]}
        onClick={() =>
          void copy(text).then(
            () => setState("Copied"),
            () => setState("Cannot copy"),
          )
        }
      >
        {state}
      </button>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

function listOf({ ordered, start, items }: Tokens.List, key: number): ReactNode {
  const rows = items.map((item, at) => (
    <li key={at}>{item.tokens.map((token, index) => itemPart(token, index))}</li>
  ));
  return ordered ? (
    <ol key={key} start={start === "" ? 1 : start}>
      {rows}
    </ol>
  ) : (
    <ul key={key}>{rows}</ul>
  );
}

const itemPart = (token: Token, key: number): ReactNode =>
  token.type === "text" && "tokens" in token ? (
    <span key={key}>{inline(token.tokens)}</span>
  ) : (
    block(token, key)
  );

const tableOf = ({ header, rows }: Tokens.Table, key: number): ReactNode => (
  <div key={key} className={styles["table"]} tabIndex={0} role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at} scope="col">
              {inline(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, index) => (
              <td key={index}>{inline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const inline = (tokens: readonly Token[] | undefined): readonly ReactNode[] =>
  (tokens ?? []).map((token, at) => span(token, at));

function span(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline(token.tokens)}</strong>;
    case "em":
      return <em key={key}>{inline(token.tokens)}</em>;
    case "del":
      return <del key={key}>{inline(token.tokens)}</del>;
    case "codespan":
      return <code key={key}>{token.text}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return linkOf(token as Tokens.Link, key);
    case "text":
      return "tokens" in token && token.tokens !== undefined ? (
        <span key={key}>{inline(token.tokens)}</span>
      ) : (
        unescaped(token.text)
      );
    case "escape":
      return token.text;
    default:
      return token.raw;
  }
}

/** Only addresses of the web become links; a model may write any other. */
function linkOf({ href, tokens, raw }: Tokens.Link, key: number): ReactNode {
  if (!/^(?:https?:|mailto:)/i.test(href)) return raw;
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {inline(tokens)}
    </a>
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

const unescaped = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (each) => ENTITIES[each] ?? each);
