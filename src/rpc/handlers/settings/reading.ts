import { modelOf } from "../../encode/session-info.ts";
import { seconds } from "../../encode/time.ts";
import type { Setting } from "./setting.ts";

/** What can only be shown. */
export const READ_ONLY: Readonly<Record<string, Setting>> = {
  full: {
    get({ desk }) {
      const { config } = desk.ports;
      return { config: { ...config.mask(config.values()) } };
    },
  },
  mtime: { get: async ({ desk }) => ({ mtime: seconds(await desk.ports.config.refresh()) }) },
  profile: {
    get({ desk }) {
      const { home, profile } = desk.ports.about;
      return { home, display: profile };
    },
  },
  project: {
    async get({ desk, session }, { cwd }) {
      const folder = cwd ?? session?.state.cwd ?? desk.newSessionCwd();
      return { cwd: folder, branch: await desk.ports.files.branch(folder) };
    },
  },
  provider: {
    async get({ desk, session, signal }) {
      const { model } = modelOf(desk, session?.state ?? { settings: { yolo: false } });
      const listed = await desk.host.services.models().list(signal);
      const providers = [...new Set(listed.map(({ provider }) => provider))];
      return { model: model?.name ?? "", provider: model?.provider ?? "", providers };
    },
  },
};
