import { brotliCompress, constants } from "node:zlib";
import { promisify } from "node:util";
import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const compress = promisify(brotliCompress);

/** Lays a packed form beside each text file, so that the server packs nothing. */
const packed: Plugin = {
  name: "packed",
  apply: "build",
  generateBundle: {
    // After everything else: what is packed must be what is served.
    order: "post",
    async handler(_options, bundle) {
      for (const [name, file] of Object.entries(bundle)) {
        const source = file.type === "chunk" ? file.code : file.source;
        if (!/\.(?:js|css|svg|html)$/.test(name)) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        const bytes = await compress(Buffer.from(source), { params });
        this.emitFile({ type: "asset", fileName: `${name}.br`, source: bytes });
      }
    },
  },
};

const shims = resolve(import.meta.dirname, "src/client/node-shims.ts");

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), packed],
  logLevel: "warn",
  resolve: { alias: { "node:timers": shims, "node:events": shims } },
  build: {
    outDir: "../dist/web",
    // The operators' pages, and the members' app.
    rolldownOptions: {
      input: [resolve(import.meta.dirname, "index.html"), resolve(import.meta.dirname, "app.html")],
    },
    emptyOutDir: true,
    target: "es2023",
    sourcemap: false,
    // A style or picture within a page would need a weaker policy for what pages may load.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
