import { defineConfig } from "vite";

// `npm run dev` serves the sources and asks a pinkad on this machine.
const pinkad = process.env.PINKA_PAGE ?? "http://127.0.0.1:7071";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { target: "es2022", assetsInlineLimit: 0, sourcemap: false, chunkSizeWarningLimit: 700 },
  server: {
    proxy: Object.fromEntries(
      ["/pinka.v1.", "/session", "/logs/"].map((path) => [path, { target: pinkad, changeOrigin: true }]),
    ),
  },
});
