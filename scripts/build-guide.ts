// Builds the guide into dist/guide: each page as HTML, what the browser searches, llms.txt, and the Markdown of the pages
// whose addresses differ from those in docs/, where the service finds the others.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import {
  contentsHtml,
  htmlOf,
  llmsText,
  markdownOf,
  readGuide,
  searchData,
} from './guide/guide.ts';
import { type PageAssets, pageHtml } from './guide/page-html.ts';

const TARGET = join('dist', 'guide');

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
const assets = await buildAssets();
const pages = readGuide();
const write = (name: string, text: string) => writeFileSync(join(TARGET, name), text);
write(
  'index.html',
  pageHtml(
    {
      ...{ row: null, title: 'Guide', summary: 'The guide of Cardea, by task.', sections: [] },
      content: contentsHtml(pages),
    },
    assets,
  ),
);
for (const page of pages) {
  const { row, text } = page;
  write(`${row.name}.html`, pageHtml({ ...page, content: htmlOf(page, pages) }, assets));
  const markdown = markdownOf(page, pages);
  if (markdown !== text || row.file !== join('docs', `${row.name}.md`)) {
    write(`${row.name}.md`, markdown);
  }
}
write('llms.txt', llmsText(pages));
write('sections.json', searchData(pages));

/** Bundles script, style and font under names that hold a hash. */
async function buildAssets(): Promise<PageAssets> {
  const { metafile } = await build({
    entryPoints: { guide: join('guide', 'guide.ts'), style: join('guide', 'guide.css') },
    outdir: TARGET,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    legalComments: 'none',
    // The browsers of the console.
    target: ['chrome123', 'firefox125', 'safari17.5'],
    loader: { '.woff2': 'file' },
    metafile: true,
  });
  const outputs = Object.entries(metafile.outputs);
  const nameOf = (source: string) => {
    const [path] = outputs.find(([, { inputs, entryPoint }]) =>
      entryPoint === undefined ? source in inputs : entryPoint === source,
    ) ?? [''];
    return `assets/${basename(path)}`;
  };
  const mark = 'mark.svg';
  copyFileSync(join('console', 'style', mark), join(TARGET, mark));
  return {
    script: nameOf('guide/guide.ts'),
    style: nameOf('guide/guide.css'),
    font: nameOf('node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'),
    mark,
  };
}
