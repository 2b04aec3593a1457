/**
 * A platform's way to write Markdown. Functions get text that is written already; `text`, `code` and `block`
 * get it bare.
 */
export interface Flavour {
  /** Begins an entry of a list that is not counted. */
  readonly bullet: string;
  /** Between two lines of one block. */
  readonly newline: string;
  /** Bare text, so that nothing in it means anything there. */
  text(bare: string): string;
  paragraph(text: string): string;
  heading(text: string): string;
  strong(text: string): string;
  emphasis(text: string): string;
  deleted(text: string): string;
  code(bare: string): string;
  block(bare: string, language: string): string;
  link(text: string, url: string): string;
  quote(text: string): string;
  /** What a reader sees of a written text, where that is less: platforms count it. */
  seen?(text: string): string;
}

/** In place of the ends of lines in code, which no list may indent; texts that are sent have no control characters. */
export const LINE_END = "\u0001";

const same = (text: string): string => text;
const named = (text: string, url: string): string => (text === url || text === "" ? url : `${text} (${url})`);
const quoted = (text: string): string => text.replaceAll(/^/gm, "> ").replaceAll(LINE_END, `${LINE_END}> `);

/** For platforms that show a text as it is. */
export const PLAIN: Flavour = {
  bullet: "-",
  newline: "\n",
  text: same,
  paragraph: same,
  heading: same,
  strong: same,
  emphasis: same,
  deleted: same,
  code: same,
  block: same,
  link: named,
  quote: quoted,
};

/** Signs that mean something around words, as messengers for phones take them. */
const SIGNS: Flavour = {
  ...PLAIN,
  bullet: "•",
  heading: (text) => `*${text.replaceAll("*", "")}*`,
  strong: (text) => `*${text}*`,
  emphasis: (text) => `_${text}_`,
  deleted: (text) => `~${text}~`,
  code: (bare) => `\`${bare}\``,
  block: (bare) => `\`\`\`\n${bare}\n\`\`\``,
};

/** https://faq.whatsapp.com/539178204879377 */
export const WHATSAPP_SIGNS: Flavour = SIGNS;

const SAFE_URL = /^(https?|mailto|tel|tg):/i;

const escapeHtml = (bare: string): string =>
  bare.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** https://docs.slack.dev/messaging/formatting-message-text */
export const SLACK_MRKDWN: Flavour = {
  ...SIGNS,
  text: escapeHtml,
  code: (bare) => SIGNS.code(escapeHtml(bare)),
  block: (bare, language) => SIGNS.block(escapeHtml(bare), language),
  link: (text, url) => {
    // `<!channel|x>` and `<@U1|x>` would call people.
    if (!SAFE_URL.test(url)) return named(text, escapeHtml(url));
    const address = escapeHtml(url).replaceAll("|", "%7C");
    return text === escapeHtml(url) || text === "" ? `<${address}>` : `<${address}|${text}>`;
  },
};

/** https://core.telegram.org/bots/api#html-style; a quote there holds no other quote. */
export const TELEGRAM_HTML: Flavour = {
  ...PLAIN,
  bullet: "•",
  text: escapeHtml,
  heading: (text) => `<b>${text}</b>`,
  strong: (text) => `<b>${text}</b>`,
  emphasis: (text) => `<i>${text}</i>`,
  deleted: (text) => `<s>${text}</s>`,
  code: (bare) => `<code>${escapeHtml(bare)}</code>`,
  block: (bare, language) =>
    /^[\w+#.-]+$/.test(language)
      ? `<pre><code class="language-${language}">${escapeHtml(bare)}</code></pre>`
      : `<pre>${escapeHtml(bare)}</pre>`,
  link: (text, url) =>
    SAFE_URL.test(url) && text !== ""
      ? `<a href="${escapeHtml(url).replaceAll('"', "&quot;")}">${text}</a>`
      : named(text, escapeHtml(url)),
  quote: (text) => `<blockquote>${text.replaceAll(/<\/?blockquote>/g, "")}</blockquote>`,
  seen: (text) => text.replaceAll(/<[^<>]*>/g, "").replaceAll(/&(?:amp|lt|gt|quot);/g, "x"),
};

/** https://spec.matrix.org/v1.11/client-server-api/#mroommessage-msgtypes, of `formatted_body` */
export const MATRIX_HTML: Flavour = {
  ...TELEGRAM_HTML,
  newline: "<br>",
  paragraph: (text) => `<p>${text}</p>`,
  heading: (text) => `<h4>${text}</h4>`,
  deleted: (text) => `<del>${text}</del>`,
  quote: (text) => `<blockquote>${text}</blockquote>`,
};
