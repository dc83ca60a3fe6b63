// Builds the console into dist/console/public, with addresses relative to the page, so that it
// works below any prefix a proxy may put before it. Nothing is inlined, since the page's policy
// refuses what is.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    outDir: fileURLToPath(new URL('../dist/console/public', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome123', 'firefox125', 'safari17.5'],
    reportCompressedSize: false,
  },
  // `npx vite console` while `npm run dev` serves the API.
  server: {
    proxy: Object.fromEntries(
      ['/v2024', '/oauth', '/api', '/admin', '/ready', '/console'].map((path) => [
        path,
        'http://127.0.0.1:8080',
      ]),
    ),
  },
});
