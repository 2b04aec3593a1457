import { conversationMarkdown, eventLine, readTranscript, type Session } from "../../core/index.ts";
import { route } from "../../http/server/api-route.ts";
import { downloadOf } from "./download.ts";
import { type DashboardApi, type DashboardRoute, noteAt } from "./dashboard-api.ts";

/** Declares the download of a session. */
export const EXPORT_ROUTES: readonly DashboardRoute[] = [
  route<DashboardApi>(
    "GET /dashboard/api/sessions/{session_id}/export",
    async (c, api, id) => {
      const session = await api.host.session(id);
      const state = await session.refresh();
      await noteAt(c, api, { action: "session.export", subject: session.id });
      const isMarkdown = c.req.query("form") === "md";
      const headers = {
        "content-type": isMarkdown ? "text/markdown; charset=utf-8" : "application/jsonl; charset=utf-8",
        "content-disposition": `attachment; filename="${fileName(session.id)}.${isMarkdown ? "md" : "jsonl"}"`,
      };
      if (!isMarkdown) return c.body(linesOf(session), 200, headers);
      const { store } = api.host.services;
      const { entries } = await readTranscript(store, session, { limit: Number.MAX_SAFE_INTEGER });
      return c.body(conversationMarkdown(state.title || `Session ${session.id}`, entries), 200, headers);
    },
    {
      id: "exportSession",
      summary:
        "A session to keep: every event as a line of JSON, as `agent sessions import` reads them, or `form=md`",
      query: ["form"],
      plain: true,
    },
  ),
];

const linesOf = (session: Session): ReadableStream<Uint8Array> =>
  downloadOf(session.events({ follow: false }), (event) => eventLine(session.id, event));

const fileName = (id: string): string => id.replaceAll(/[^\w.-]+/g, "_");
