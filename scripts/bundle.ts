// Bundles the sources of the product into dist/bundle, as the npm package ships it: the
// service starts from a few files instead of a thousand. Code splitting keeps what only some
// installations use (OpenSearch, PostgreSQL, Redis, metrics) in files of their own. Source maps lead
// stack traces back to the sources, and LICENCES.txt holds the licences of the bundled packages. The
// lock file is copied next to them, since npm never packs one that is in the root.
// `cardea/testing` is bundled a second time, for programs that `require` it, with its types.
// Tests run the modules that tsc compiles; test/cli/bundle.test.ts starts the bundle.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licencesText, packageFolders } from './licences.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUT = join(ROOT, 'dist', 'bundle');

/** Programs, threads and processes, by the name of their file: code finds them by this name. */
const ENTRIES = {
  cardea: 'src/cli/main.ts',
  testing: 'src/testing/index.ts',
  'serving-thread': 'src/compose/serving-thread.ts',
  'builder-worker': 'src/backends/embedded/building/builder-worker.ts',
  'sqlite-scan-worker': 'src/store/sqlite/sqlite-scan-worker.ts',
  'backup-process': 'src/store/sqlite/backup-process.ts',
  'scheduled-backup-process': 'src/store/sqlite/scheduled-backup-process.ts',
  'integrity-process': 'src/store/sqlite/integrity-process.ts',
};

/** Packages that are not bundled. */
const EXTERNAL = [
  // Native modules, which look for their binaries in their own folders.
  '@photostructure/sqlite',
  'lz4-napi',
  // Optional and not installed; `pg` requires it only if asked for.
  'pg-native',
  // Never loaded: http/app.ts gives Fastify its own compilers of schemas, and only tests inject.
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
];

/** Packages in the files that browsers load, built by Vite, build-documentation.ts and build-guide.ts. */
const IN_BROWSERS = [
  'preact',
  'uplot',
  'oauth4webapi',
  '@fontsource-variable/geist',
  '@fastify/swagger-ui',
  'minisearch',
];

/** Bundled CommonJS packages require the modules of Node, for which ES modules have no `require`. */
const REQUIRE = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  'const require = createBundleRequire(import.meta.url);',
].join('\n');

rmSync(OUT, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES,
  outdir: OUT,
  // All files are in one folder, in which `new URL('./serving-thread.js', import.meta.url)` looks.
  entryNames: '[name]',
  chunkNames: 'part-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.15',
  external: EXTERNAL,
  banner: { js: REQUIRE },
  // Less to read at the start. Identifiers keep their names, for stack traces and profiles.
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
});
const folders = [
  ...packageFolders(Object.keys(metafile.inputs)),
  ...IN_BROWSERS.map((name) => join('node_modules', name)),
];
writeFileSync(join(OUT, 'LICENCES.txt'), licencesText(folders.map((folder) => join(ROOT, folder))));
await build({
  absWorkingDir: ROOT,
  entryPoints: { testing: ENTRIES.testing },
  outdir: OUT,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.15',
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
});
writeTypes();
copyFileSync(join(ROOT, 'package-lock.json'), join(ROOT, 'dist', 'package-lock.json'));

/** Writes the types of `cardea/testing` in one file for each kind of module. */
function writeTypes(): void {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '--project', join(ROOT, 'tsconfig.testing.json')]);
  const declarations = join(ROOT, 'dist', 'declarations', 'src', 'testing', 'index.d.ts');
  const functions = readFileSync(declarations, 'utf8')
    .split('\n')
    .filter((line) => !/^(?:import|export type \*) /.test(line))
    .join('\n');
  const types = readFileSync(join(ROOT, 'src', 'testing', 'types.ts'), 'utf8');
  // For Symbol.asyncDispose.
  const text = `/// <reference lib="esnext.disposable" />\n${types}\n${functions}`;
  for (const ending of ['d.ts', 'd.cts']) writeFileSync(join(OUT, `testing.${ending}`), text);
}
