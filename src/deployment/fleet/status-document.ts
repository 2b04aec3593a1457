import type { FleetStatus, Incident } from "./fleet.ts";

/** The public document for machines. */
export function statusJson({ online, total, healthy, incidents, at }: FleetStatus): Record<string, unknown> {
  return {
    status: healthy ? "operational" : "degraded",
    fleet: { instances_online: online, instances_total: total },
    incidents: incidents.map(({ id, title, text, startedAt, resolvedAt }) => ({
      id,
      title,
      description: text,
      status: resolvedAt === undefined ? "open" : "resolved",
      started_at: iso(startedAt),
      ...(resolvedAt === undefined ? {} : { resolved_at: iso(resolvedAt) }),
    })),
    generated_at: iso(at),
  };
}

const iso = (at: number): string => new Date(at).toISOString().replace("Z", "+00:00");

/** The same for people: one page without script, for light and dark, that prints well. */
export function statusPage(status: FleetStatus): string {
  const { healthy, online, total, incidents, at } = status;
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === undefined);
  const past = incidents.filter(({ resolvedAt }) => resolvedAt !== undefined);
  const word = healthy ? "Operational" : "Degraded";
  const sentence = healthy ? "All systems operational" : "Some instances do not answer";
  const share = total === 0 ? 100 : Math.round((100 * online) / total);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="60">
<meta name="color-scheme" content="light dark">
<title>${word} · Fleet status</title>
<style>${STYLE}</style>
</head>
<body class="${healthy ? "good" : "bad"}">
<main>
<header>
<p class="mark" aria-hidden="true"></p>
<h1>${sentence}</h1>
<p><strong>${online}</strong> of <strong>${total}</strong> ${total === 1 ? "instance" : "instances"} online</p>
<div class="bar" role="img" aria-label="${share} percent online"><i style="width:${share}%"></i></div>
</header>
<section>
<h2>Incidents</h2>
${open.length === 0 ? '<p class="quiet">None at the moment.</p>' : open.map(article).join("\n")}
</section>
${past.length === 0 ? "" : `<section>\n<h2>Resolved in the last seven days</h2>\n${past.map(article).join("\n")}\n</section>`}
<footer><p>As of <time datetime="${iso(at)}">${shown(at)}</time>. This page renews itself every minute. <a href="status">For machines</a></p></footer>
</main>
</body>
</html>
`;
}

function article({ title, text, startedAt, resolvedAt }: Incident): string {
  const end =
    resolvedAt === undefined ? "" : ` to <time datetime="${iso(resolvedAt)}">${shown(resolvedAt)}</time>`;
  const body = text === "" ? "" : `<p>${escaped(text).replaceAll("\n", "<br>")}</p>`;
  return `<article><h3>${escaped(title)}</h3><p class="quiet"><time datetime="${iso(startedAt)}">${shown(startedAt)}</time>${end}</p>${body}</article>`;
}

const shown = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

const STYLE = `
:root{color-scheme:light dark;--ink:#16202a;--soft:#5b6875;--ground:#f6f7f9;--card:#fff;--line:#e2e6ea;--tone:#16794c}
.bad{--tone:#b3540a}
@media (prefers-color-scheme:dark){:root{--ink:#e9eef2;--soft:#96a3af;--ground:#0f1419;--card:#182028;--line:#28323c;--tone:#3fbf83}.bad{--tone:#f0993e}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:17px/1.55 system-ui,sans-serif}
main{max-width:44rem;margin:0 auto;padding:3rem 1.25rem}
header{background:var(--card);border:1px solid var(--line);border-top:6px solid var(--tone);border-radius:12px;padding:2rem}
.mark{width:1.1rem;height:1.1rem;border-radius:50%;background:var(--tone);margin:0 0 1rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .5rem}
h2{font-size:1.05rem;margin:2.5rem 0 .75rem}
h3{font-size:1rem;margin:0}
p{margin:.25rem 0}
.bar{height:.5rem;border-radius:99px;background:var(--line);margin-top:1.25rem;overflow:hidden}
.bar i{display:block;height:100%;background:var(--tone)}
article{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem 1.25rem;margin:.75rem 0}
.quiet,footer{color:var(--soft);font-size:.9rem}
footer{margin-top:3rem}
a{color:inherit}
@media print{body{background:none}}
`.trim();
