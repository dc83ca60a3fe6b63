// The HTML around the content of a page: head, search, side bar, what is on the page, next and previous.
// Invariant: nothing inline and nothing of another host, since the policy of the guide refuses both.
import { escapeHtml, type Section } from './markdown.ts';
import { PAGE_GROUPS, type PageRow } from './pages.ts';

/** The files that each page loads. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
  readonly font: string;
  readonly mark: string;
}

export interface PageContent {
  /** null: the first page, with the contents. */
  readonly row: PageRow | null;
  readonly title: string;
  readonly summary: string;
  readonly sections: readonly Section[];
  /** HTML. */
  readonly content: string;
}

const ROWS = PAGE_GROUPS.flatMap(({ pages }) => pages);

const PLACES = '<a href="../">API reference</a><a href="../../">Console</a>';

/** A whole page. */
export function pageHtml(page: PageContent, assets: PageAssets): string {
  const { row, title, summary, sections, content } = page;
  const markdown = row === null ? 'llms.txt' : `${row.name}.md`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(summary)}">
<title>${escapeHtml(title)} · Cardea</title>
<link rel="icon" type="image/svg+xml" href="${assets.mark}">
<link rel="preload" as="font" type="font/woff2" href="${assets.font}" crossorigin>
<link rel="stylesheet" href="${assets.style}">
<link rel="alternate" type="${row === null ? 'text/plain' : 'text/markdown'}" href="${markdown}">
<script type="module" src="${assets.script}" blocking="render"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="head">
<button type="button" class="menu" popovertarget="pages">Pages</button>
<a class="brand" href="./" aria-label="Cardea guide"><img src="${assets.mark}" alt="" width="24" height="24"><span>Cardea <span class="quiet">guide</span></span></a>
<div class="search" hidden><input type="search" id="search" placeholder="Search" aria-label="Search the guide" autocomplete="off" spellcheck="false" aria-controls="results"><div class="found" id="results" hidden></div></div>
<nav class="places" aria-label="Service">${PLACES}</nav>
</header>
<div class="frame">
<nav class="pages" id="pages" popover aria-label="Pages">
<div class="places">${PLACES}</div>
${sideBar(row)}
</nav>
<main id="content" tabindex="-1">
<article>
${content}</article>
${turns(row)}<p class="source"><a href="${markdown}">${row === null ? 'This list as text' : 'This page as Markdown'}</a></p>
</main>
${onThisPage(sections)}</div>
</body>
</html>
`;
}

function sideBar(current: PageRow | null): string {
  const groups = PAGE_GROUPS.map(({ title, pages }) => {
    const links = pages.map(({ name, title: pageTitle }) => {
      const mark = name === current?.name ? ' aria-current="page"' : '';
      return `<li><a href="${name}"${mark}>${escapeHtml(pageTitle)}</a></li>`;
    });
    return `<p>${escapeHtml(title)}</p>\n<ul>\n${links.join('\n')}\n</ul>`;
  });
  return groups.join('\n');
}

/** Links to the pages before and after. */
function turns(current: PageRow | null): string {
  const at = ROWS.findIndex(({ name }) => name === current?.name);
  const link = (row: PageRow | undefined, rel: string, label: string) =>
    row === undefined
      ? ''
      : `<a rel="${rel}" href="${row.name}"><span class="quiet">${label}</span> ${escapeHtml(row.title)}</a>`;
  return `<nav class="turns" aria-label="Next and previous">${link(ROWS[at - 1], 'prev', 'Previous')}${link(ROWS[at + 1], 'next', 'Next')}</nav>\n`;
}

/** The headings of a page that has several. */
function onThisPage(sections: readonly Section[]): string {
  const headings = sections.filter(({ depth }) => depth === 2);
  if (headings.length < 2) return '';
  const links = headings.map(
    ({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav class="on-this-page" aria-label="On this page">\n<p>On this page</p>\n<ul>\n${links.join('\n')}\n</ul>\n</nav>\n`;
}
