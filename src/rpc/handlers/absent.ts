import { HostError } from "../../shared/errors/host-error.ts";
import { seqAt } from "../gateway/event-numbers.ts";
import type { ABSENT_METHODS } from "../protocol/absent.ts";
import type { HandlersOf } from "./handler.ts";

const NO_PLUGINS =
  "There are no plugins here. Tools come from MCP servers (`mcp_servers` in config.yaml) and from skills.";
const NO_VOICE = "There is no voice here. Use the dictation of your system or terminal.";
const NO_BROWSER =
  "There is no browser to connect to. Pages are read with web_read; an MCP server can bring a browser.";

export const ABSENT_HANDLERS: HandlersOf<typeof ABSENT_METHODS> = {
  "plugins.manage"({ action }) {
    if (action !== "list") throw new HostError("not_found", NO_PLUGINS);
    return { plugins: [], user_count: 0, bundled_count: 0 };
  },

  "voice.toggle"({ action }) {
    if (action !== "status" && action !== "off") throw new HostError("not_found", NO_VOICE);
    return {
      enabled: false,
      tts: false,
      record_key: "",
      available: false,
      audio_available: false,
      stt_available: false,
      details: NO_VOICE,
    };
  },

  "browser.manage": () => ({ connected: false, messages: [NO_BROWSER] }),

  async "session.events.stats"({ session_id }, { gateway }) {
    const session = session_id === undefined ? undefined : await gateway.session(session_id);
    await session?.refresh();
    return {
      sessions: gateway.busyOrOpen().length,
      events: 0,
      bytes: 0,
      max_bytes_per_session: 0,
      max_bytes_process: 0,
      epoch: gateway.ports.about.epoch,
      ...(session === undefined ? {} : { latest_seq: seqAt(session.cursor) }),
    };
  },
};
