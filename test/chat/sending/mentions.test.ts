import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { markdownParts } from "../../../src/providers/delivery/index.ts";

/** Their requests say that nobody is called, or a message of theirs cannot call anybody. */
const CALL_NOBODY = new Set(["discord", "email", "signal", "whatsapp"]);
/** Their tags may count in code. */
const HAVE_TAGS = new Set(["feishu", "wecom"]);

const sentOf = (text: string, name: string): string =>
  CHAT_PLATFORMS.filter((platform) => platform.name === name)
    .flatMap(({ limits }) => markdownParts(text, limits))
    .flatMap(({ text: shown, source }) => (name === "matrix" ? [shown, source] : [shown]))
    .join("\n");

const all = CHAT_PLATFORMS.map(({ name }) => name);

test.each(all)("code that is copied from %s is as it was written", (name) => {
  const code = "<!DOCTYPE html>\n<!-- @here -->\nnpm i @online/pkg @all ＠all &#64;all\n@everyone";
  const sent = sentOf(
    `Write\n\n\`\`\`html\n${code}\n\`\`\`\n\nand run \`npm i @online/pkg\`.\n\n<!-- x -->`,
    name,
  );
  expect(sent).not.toContain("\u200B");
  expect(sent).toContain("npm i @online/pkg @all ＠all");
});

test("code in lists is so too, where the platform is told what is code", () => {
  for (const name of ["telegram", "slack", "discord"])
    expect(sentOf("- a\n\n  ```sh\n  npm i @online/pkg @all\n  ```", name)).not.toContain("\u200B");
});

const CALL = /(?:[@＠]|&#64;|&#x40;|&commat;)(?:all|channel|here|everyone|room|online|所有人)/i;

test.each(all.filter((name) => !CALL_NOBODY.has(name)))("a text on %s calls nobody by a word", (name) => {
  for (const text of [
    "@all @channel @here @everyone @room @online",
    "hey @HERE!",
    "**@all**",
    "＠all",
    "&#64;all &#x40;here &commat;channel",
    "\\@all",
    "@所有人",
    "- @all\n\n> @here",
    "code `x` and @all and `y`\n\n```\nz\n```\n\n@here",
    `${"x ".repeat(9000)}@all`,
  ])
    expect(sentOf(text, name)).not.toMatch(CALL);
});

test.each(["mattermost", "matrix", "feishu", "dingtalk", "wecom"])(
  "what another parser than ours may take for text calls nobody on %s",
  (name) => {
    for (const text of [
      "<div>\n```\n</div>\n\n```\n@all\n```",
      "<!--\n```\n-->\n\n```\n@all\n```",
      "- ```\n@all\n```\n@all",
      "~~~\n```\n~~~\n@all\n```\n@all",
      "```\nx\n    ```\n@all\n```\n@all",
      '[x](y "`") @all `b`',
      "https://x.org/` @all `",
      "\\`@all`",
      "a ` b\n@all ` c `",
      "`` a ` @all ` b",
    ]) {
      const { limits } = CHAT_PLATFORMS.find((platform) => platform.name === name) ?? {};
      for (const { source } of limits === undefined ? [] : markdownParts(text, limits))
        expect(source).not.toMatch(CALL);
    }
  },
);

test.each([...HAVE_TAGS])("a tag calls nobody on %s, in code neither", (name) => {
  for (const tag of ["<at id=all></at>", "<@all>", "<@!u1>", "</at>"])
    for (const text of [tag, `\`${tag}\``, `\`\`\`\n${tag}\n\`\`\``])
      expect(sentOf(text, name)).not.toMatch(/<(?:\/?at[\s>]|!?@)/);
});

test("Slack reads no tag that a text has", () => {
  for (const tag of ["<!channel>", "<!here|x>", "<@U1>", "[x](!channel)", "`<!everyone>`"])
    expect(sentOf(tag, "slack")).not.toMatch(/<[!@]/);
});
