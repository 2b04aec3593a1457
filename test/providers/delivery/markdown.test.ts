import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Flavour,
  MATRIX_HTML,
  PLAIN,
  SLACK_MRKDWN,
  TELEGRAM_HTML,
  WHATSAPP_SIGNS,
} from "../../../src/providers/delivery/markdown/flavour.ts";
import { renderMarkdown } from "../../../src/providers/delivery/markdown/render.ts";
import { splitMarkdown } from "../../../src/providers/delivery/markdown/split.ts";

const ANSWER = `# Done & dusted

Changed **two** files, see [the log](https://x.org/a?b=1&c=2):

- \`a<b>\` is _new_
- [x] ~~gone~~
  - deep

1. one
2. two

> quoted

\`\`\`ts
if (a < b) run();
\`\`\`
`;

const writtenAs = (flavour: Flavour): string => renderMarkdown(ANSWER, flavour);

describe("an answer in Markdown is written", () => {
  test("for Telegram as its HTML", () => {
    expect(writtenAs(TELEGRAM_HTML)).toBe(`<b>Done &amp; dusted</b>

Changed <b>two</b> files, see <a href="https://x.org/a?b=1&amp;c=2">the log</a>:

• <code>a&lt;b&gt;</code> is <i>new</i>
• ☑ <s>gone</s>
  • deep

1. one
2. two

<blockquote>quoted</blockquote>

<pre><code class="language-ts">if (a &lt; b) run();</code></pre>`);
  });

  test("for Slack with its signs and escapes", () => {
    expect(writtenAs(SLACK_MRKDWN)).toBe(`*Done &amp; dusted*

Changed *two* files, see <https://x.org/a?b=1&amp;c=2|the log>:

• \`a&lt;b&gt;\` is _new_
• ☑ ~gone~
  • deep

1. one
2. two

> quoted

\`\`\`
if (a &lt; b) run();
\`\`\``);
  });

  test("for WhatsApp with the signs of phones", () => {
    expect(writtenAs(WHATSAPP_SIGNS)).toContain(
      "*Done & dusted*\n\nChanged *two* files, see the log (https://x.org/a?b=1&c=2):\n\n• `a<b>` is _new_\n• ☑ ~gone~",
    );
  });

  test("for Matrix as HTML in which lines stay lines", () => {
    expect(writtenAs(MATRIX_HTML)).toContain("<p>Changed <b>two</b> files");
    expect(renderMarkdown("one\ntwo\n\n- a\n- b", MATRIX_HTML)).toBe("<p>one<br>two</p>\n\n• a<br>• b");
  });

  test("for all others as plain text that says the same", () => {
    expect(writtenAs(PLAIN)).toBe(`Done & dusted

Changed two files, see the log (https://x.org/a?b=1&c=2):

- a<b> is new
- ☑ gone
  - deep

1. one
2. two

> quoted

if (a < b) run();`);
  });
});

test("code in a list has no blanks before its lines that it does not have", () => {
  const source = "- do\n\n  ```py\n  if x:\n    run()\n  ```\n- > see\n  > ```\n  > a\n  > b\n  > ```";
  expect(renderMarkdown(source, TELEGRAM_HTML)).toBe(
    '• do\n  <pre><code class="language-py">if x:\n  run()</code></pre>\n• <blockquote>see\n  \n  <pre>a\nb</pre></blockquote>',
  );
  expect(renderMarkdown(source, SLACK_MRKDWN)).toContain("```\nif x:\n  run()\n```");
  expect(renderMarkdown(source, PLAIN)).toContain("- do\n  if x:\n    run()\n");
});

test.each([
  ["a_name_with_lines and 2 * 3 * 4", "a_name_with_lines and 2 * 3 * 4"],
  ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
  ["[x](javascript:alert(1))", "x (javascript:alert(1))"],
  ['[x](https://x.org/"onclick=1)', '<a href="https://x.org/&quot;onclick=1">x</a>'],
  ["> > twice", "<blockquote>twice</blockquote>"],
  ["a &lt; b", "a &lt; b"],
  ["[only]: https://x.org", "[only]: https://x.org"],
  ["```x y\n1\n```", "<pre>1</pre>"],
])("%s has no power over Telegram", (source, written) => {
  expect(renderMarkdown(source, TELEGRAM_HTML)).toBe(written);
});

test("whatever is written, the HTML has every tag closed in its order", () => {
  const piece = fc.constantFrom(
    "**",
    "_",
    "~~",
    "`",
    "```\n",
    "> ",
    "- ",
    "# ",
    "[a](b)",
    "<b>",
    "</i>",
    "&",
    "\n\n",
    "\n",
    "word ",
    "|a|b|\n|-|-|\n|1|2|\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const open: string[] = [];
      for (const [, close, name] of renderMarkdown(pieces.join(""), TELEGRAM_HTML).matchAll(
        /<(\/?)([a-z]+)[^>]*>/g,
      )) {
        if (close === "") open.push(name ?? "");
        else expect(open.pop()).toBe(name);
      }
      expect(open).toEqual([]);
    }),
  );
});

describe("a long text in Markdown", () => {
  test("is cut between its blocks", () => {
    const blocks = Array.from({ length: 10 }, (_, index) => `Block ${index} ${"word ".repeat(10)}`.trim());
    const parts = splitMarkdown(blocks.join("\n\n"), 150);
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.flatMap((part) => part.split("\n\n"))).toEqual(blocks);
  });

  test("stays code on both sides of a cut in it", () => {
    const code = Array.from({ length: 60 }, (_, index) => `  line(${index});`).join("\n");
    const parts = splitMarkdown(`Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nSo.`, 300);
    expect(parts.every((part) => part.length <= 300)).toBe(true);
    const blocks = parts.flatMap((part) =>
      [...part.matchAll(/```ts\n([^`]*)\n```/g)].map(([, text]) => text),
    );
    expect(blocks.length).toBeGreaterThan(2);
    expect(blocks.join("\n")).toBe(code);
    expect(parts.at(-1)).toMatch(/So\.$/);
  });

  test("stays code in every part of a block that is longer than all that is read at once", () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `const value${index} = run(*a*, _b_, \`c\`);`);
    const parts = splitMarkdown(`Look:\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n\nThat is all.\n`, 4000);
    expect(parts.every((part) => part.match(/^```/gm)?.length === 2)).toBe(true);
    expect(
      parts
        .join("\n")
        .split("\n")
        .filter((line) => line.startsWith("const")),
    ).toEqual(lines);
  });

  test("loses nothing and fits, whatever it is", () => {
    const bare = (text: string): string => text.replaceAll(/[\s`]|```\w*/g, "");
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 40, max: 90 }), (text, limit) => {
        const parts = splitMarkdown(text, limit);
        expect(parts.every((part) => part.length <= limit)).toBe(true);
        expect(bare(parts.join(""))).toBe(bare(text));
      }),
    );
  });
});
