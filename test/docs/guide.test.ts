// The guide, as it is built from the pages: all of them are in its side bar, and no link leads nowhere.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import {
  type GuidePage,
  htmlOf,
  llmsText,
  markdownOf,
  readGuide,
  searchData,
} from '../../scripts/guide/guide.ts';
import { readMarkdown } from '../../scripts/guide/markdown.ts';
import { PAGE_GROUPS } from '../../scripts/guide/pages.ts';

const pages = readGuide();

test('the side bar has every page that is packed, once', () => {
  const packed = readdirSync('docs').flatMap((name) =>
    name.endsWith('.md') ? `docs/${name}` : [],
  );
  const rows = PAGE_GROUPS.flatMap((group) => group.pages);
  assert.deepEqual(
    rows.map(({ file }) => file).sort(),
    [...packed, 'CHANGELOG.md', 'SECURITY.md'].sort(),
  );
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
});

for (const page of pages) {
  test(`every link of ${page.row.file} leads to a page, anchor or file of the guide`, () => {
    const html = htmlOf(page, pages);
    assert.doesNotMatch(
      html,
      /(?:href|src)="(?![\w-]+(?:\.\w+)*(?:#|")|#|https?:|mailto:|images\/)/,
    );
    markdownOf(page, pages);
  });
}

/** A guide of one page with this text, and the real ones. */
const guideWith = (text: string): [GuidePage, readonly GuidePage[]] => {
  const [first] = pages;
  assert.ok(first);
  const row = { name: 'made', title: 'Made', file: 'docs/made.md' };
  const page = { ...readMarkdown(text), row, group: first.group, text };
  return [page, [...pages, page]];
};

for (const [target, problem] of [
  ['nothing.md', /leads to nothing\.md: that is no page/],
  ['../ARCHITECTURE.md', /that is no page/],
  ['openapi.source.yaml', /that is no page/],
  ['search.md#nothing', /there is no such anchor/],
  ['#nothing', /there is no such anchor/],
] as const) {
  test(`a link to ${target} is noticed`, () => {
    const [page, all] = guideWith(`# Made\n\n[a link](${target})\n`);
    assert.throws(() => htmlOf(page, all), problem);
    assert.throws(() => markdownOf(page, all), problem);
  });
}

test('links name pages as the side bar does, and lead to where they are served', () => {
  const [page, all] = guideWith(
    '# Made\n\nSee [search.md](search.md#try-it), [why](explain.md) and [the changes](../CHANGELOG.md).\n',
  );
  assert.match(
    htmlOf(page, all),
    /<a href="search#try-it">The query language<\/a>, <a href="explain">why</,
  );
  assert.match(markdownOf(page, all), /\[search.md\]\(search\.md#try-it\).*\(changelog\.md\)/);
});

test('what is written in a page stays text', () => {
  const [page, all] = guideWith(
    '# A & B\n\n`<script>` and [a "link"](search.md)\n\n```sh\necho "<b>"\n```\n\n| a |\n|---|\n| `x < y` |\n',
  );
  const html = htmlOf(page, all);
  assert.match(html, /<h1>A &amp; B<\/h1>/);
  assert.match(html, /<code>&lt;script&gt;<\/code>/);
  assert.match(html, /echo &quot;&lt;b&gt;&quot;/);
});

test('headings are linked as GitHub links them', () => {
  const { sections, anchors } = readMarkdown(
    '# Title\n\nFirst. Second.\n\n## `ctx.body` & more\n\nText\n\n## Same\n\n## Same\n\n#### Deep\n\n<a id="own"></a>End\n',
  );
  assert.deepEqual(
    sections.map(({ id }) => id),
    ['', 'ctxbody--more', 'same', 'same-1'],
  );
  assert.ok(anchors.has('deep') && anchors.has('own'));
});

test('a row of a table is linked by the name that it begins with, the first of each', () => {
  const [page, all] = guideWith(
    '# Made\n\n| a | b |\n|---|--:|\n| `CARDEA_PORT` | 1 |\n| `GET /` | 2 |\n| `CARDEA_PORT`, more | 3 |\n\n[it](#CARDEA_PORT)\n',
  );
  const html = htmlOf(page, all);
  assert.equal(html.match(/<tr id="[^"]*">/g)?.join(), '<tr id="CARDEA_PORT">');
  assert.match(html, /<td align="right">1<\/td><\/tr>/);
});

test('a page without a heading at its beginning is noticed', () => {
  assert.throws(() => readMarkdown('Text\n'), /does not begin with a heading/);
});

test('the search has the text of every page, and llms.txt a line for each', () => {
  const data = JSON.parse(searchData(pages)) as { pages: unknown[]; sections: unknown[] };
  assert.equal(data.pages.length, pages.length);
  assert.ok(data.sections.length > 200);
  const listed = llmsText(pages).match(/^- \[[^\]]+\]\([\w-]+\.md\): \S.*[.!]$/gm) ?? [];
  assert.equal(listed.length, pages.length);
});
