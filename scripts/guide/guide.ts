// The whole guide: its pages read, their links resolved, and what is written for each.
// Invariant: every link within the guide leads to a page or file that is served, and to an anchor that is there.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, normalize } from 'node:path';
import {
  escapeHtml,
  type MarkdownPage,
  readMarkdown,
  renderMarkdown,
  withLinks,
} from './markdown.ts';
import { PAGE_GROUPS, type PageGroup, type PageRow } from './pages.ts';

/** A page of the guide with its Markdown. */
export interface GuidePage extends MarkdownPage {
  readonly row: PageRow;
  readonly group: PageGroup;
  readonly text: string;
}

/** Files beside the pages that are served with them, such as pictures and the OpenAPI document. */
export const SERVED_WITH_PAGES = /^docs\/(?:images\/[\w-]+\.webp|openapi\.yaml|[\w.-]+\.json)$/;

/** Reads the pages, in the folder of the project. */
export function readGuide(): readonly GuidePage[] {
  return PAGE_GROUPS.flatMap((group) =>
    group.pages.map((row) => {
      const text = readFileSync(row.file, 'utf8');
      return { ...readMarkdown(text), row, group, text };
    }),
  );
}

/** The address of a link of a page; @throws Error where it leads nowhere. */
type LinkOf = (target: string) => string;

/** The content of a page as HTML. @throws Error for a link that leads nowhere */
export function htmlOf(page: GuidePage, pages: readonly GuidePage[]): string {
  return renderMarkdown(page, {
    link: linksOf(page, pages, ''),
    name: titleOf,
    picture: (target) => pictureSize(join(page.row.file, '..', target)),
  });
}

/** The Markdown of a page, with the addresses of the guide. @throws Error for a link that leads nowhere */
export function markdownOf(page: GuidePage, pages: readonly GuidePage[]): string {
  return withLinks(page.text, linksOf(page, pages, '.md'));
}

/** @param ending of the addresses of pages */
function linksOf(page: GuidePage, pages: readonly GuidePage[], ending: string): LinkOf {
  return (target) => {
    if (/^(?:https?|mailto):/.test(target)) return target;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page.row.file : normalize(join(page.row.file, '..', path));
    const leads = (problem: string) => new Error(`${page.row.file} leads to ${target}: ${problem}`);
    const to = pages.find(({ row }) => row.file === file);
    if (to === undefined) {
      if (!SERVED_WITH_PAGES.test(file) || !existsSync(file)) throw leads('that is no page');
      return target;
    }
    if (anchor !== undefined && !to.anchors.has(anchor)) throw leads('there is no such anchor');
    const address = path === '' ? '' : `${to.row.name}${ending}`;
    return anchor === undefined ? address : `${address}#${anchor}`;
  };
}

/** Width and height of a WebP picture with a head, as Chromium writes them (RFC 9649, section 2.7). */
function pictureSize(file: string): { width: number; height: number } {
  const bytes = readFileSync(file);
  if (bytes.toString('latin1', 12, 16) !== 'VP8X') throw new Error(`${file} has no head of WebP`);
  return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
}

/** What the browser searches: pages, and sections that each name the number of their page. */
export function searchData(pages: readonly GuidePage[]): string {
  return JSON.stringify({
    pages: pages.map(({ row }) => [row.name, row.title]),
    sections: pages.flatMap(({ sections }, page) =>
      sections.map(({ id, title, text }) => [page, id, title, text]),
    ),
  });
}

/** The list of pages for language models (llmstxt.org). */
export function llmsText(pages: readonly GuidePage[]): string {
  const lines = PAGE_GROUPS.flatMap(({ title, pages: rows }) => [
    `\n## ${title}\n`,
    ...rows.map(
      ({ name, title: pageTitle }) => `- [${pageTitle}](${name}.md): ${summaryOf(name, pages)}`,
    ),
  ]);
  return `# Cardea\n\n> ${description()}\n\n- [OpenAPI document](openapi.yaml)\n${lines.join('\n')}\n`;
}

/** The content of the first page: every page with its first sentence. */
export function contentsHtml(pages: readonly GuidePage[]): string {
  const groups = PAGE_GROUPS.map(({ title, pages: rows }) => {
    const items = rows.map(
      ({ name, title: pageTitle }) =>
        `<li><a href="${name}">${escapeHtml(pageTitle)}</a> <span>${escapeHtml(summaryOf(name, pages))}</span></li>`,
    );
    return `<section><h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul></section>`;
  });
  return `<h1>Guide</h1>\n<p>${escapeHtml(description())}</p>\n<div class="contents">\n${groups.join('\n')}\n</div>\n`;
}

function summaryOf(name: string, pages: readonly GuidePage[]): string {
  const summary = pages.find(({ row }) => row.name === name)?.summary ?? '';
  return summary.replaceAll(/[\w-]+\.md/g, titleOf);
}

/** The name of a page in the side bar. @param file such as `search.md` or `docs/search.md` */
function titleOf(file: string): string {
  const rows = PAGE_GROUPS.flatMap(({ pages }) => pages);
  return rows.find((row) => basename(row.file) === basename(file))?.title ?? file;
}

/** What the package says of itself. */
function description(): string {
  return (JSON.parse(readFileSync('package.json', 'utf8')) as { description: string }).description;
}
