import { gfm } from "@joplin/turndown-plugin-gfm";
import TurndownService from "turndown";

/** Elements that a page has for using it, not for reading it. */
const FOR_USE = [
  "title",
  "script",
  "style",
  "noscript",
  "template",
  "iframe",
  "object",
  "embed",
  "button",
  "input",
  "select",
  "textarea",
  "svg",
  "canvas",
  "nav",
  "dialog",
];

/** Characters of an address in a link; longer ones are data in disguise. */
const LONGEST_ADDRESS = 2000;

/** HTML as Markdown, with its links and images. */
export function toMarkdown(html: string): string {
  const service = new TurndownService({
    headingStyle: "atx",
    hr: "---",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "*",
  });
  service.use(gfm);
  service.remove((node) => FOR_USE.includes(node.nodeName.toLowerCase()));
  service.addRule("images without data", {
    filter: "img",
    replacement(_content, node) {
      const { alt, src } = attributesOf(node);
      const isAddress = /^https?:/i.test(src) && src.length <= LONGEST_ADDRESS;
      if (isAddress) return `![${alt}](${src})`;
      return alt === "" ? "" : `![${alt}]`;
    },
  });
  return service
    .turndown(html)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function attributesOf(node: Node): { readonly alt: string; readonly src: string } {
  // The filter lets images through only, which are elements.
  const image = node as Element;
  const read = (name: string): string => (image.getAttribute(name) ?? "").replaceAll(/[\s[\]]+/g, " ").trim();
  return { alt: read("alt"), src: read("src").replaceAll(" ", "%20") };
}
