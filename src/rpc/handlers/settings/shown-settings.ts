import { modelOf } from "../../encode/session-info.ts";
import { seconds } from "../../encode/time.ts";
import type { Setting } from "./setting.ts";

/** The settings that can only be shown. */
export const SHOWN_SETTINGS: Readonly<Record<string, Setting>> = {
  full: {
    get({ gateway }) {
      const { config } = gateway.ports;
      return { config: { ...config.mask(config.values()) } };
    },
  },
  mtime: { get: async ({ gateway }) => ({ mtime: seconds(await gateway.ports.config.refresh()) }) },
  profile: {
    get({ gateway }) {
      const { home, profile } = gateway.ports.about;
      return { home, display: profile };
    },
  },
  project: {
    async get({ gateway, session }, { cwd }) {
      const folder = cwd ?? session?.state.cwd ?? gateway.newSessionCwd();
      return { cwd: folder, branch: await gateway.ports.files.branch(folder) };
    },
  },
  provider: {
    async get({ gateway, session, signal }) {
      const { model } = modelOf(gateway, session?.state ?? { settings: { yolo: false } });
      const listed = await gateway.host.services.models().list(signal);
      const providers = [...new Set(listed.map(({ provider }) => provider))];
      return { model: model?.name ?? "", provider: model?.provider ?? "", providers };
    },
  },
};
