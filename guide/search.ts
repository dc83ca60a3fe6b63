// The search of the guide: loads the sections of all pages and indexes them, when a reader first searches.
import MiniSearch from 'minisearch';

/** A section that was found. */
export interface Found {
  readonly href: string;
  /** Title of the page. */
  readonly page: string;
  /** Title of the section; that of the page for its beginning. */
  readonly section: string;
  /** A part of the text, in pieces. */
  readonly excerpt: readonly { readonly text: string; readonly isHit: boolean }[];
}

/** Finds the best sections for what a reader has typed. */
export type GuideSearch = (text: string) => readonly Found[];

/** What scripts/guide/guide.ts writes. */
interface SearchData {
  readonly pages: readonly (readonly [name: string, title: string])[];
  readonly sections: readonly (readonly [
    page: number,
    anchor: string,
    title: string,
    text: string,
  ])[];
}

const FOUND_MAX = 10;
const EXCERPT_BEFORE = 40;
const EXCERPT_LENGTH = 160;

/** Loads what the search needs. @throws TypeError if it cannot be loaded */
export async function loadSearch(): Promise<GuideSearch> {
  const answer = await fetch('sections.json');
  const { pages, sections } = (await answer.json()) as SearchData;
  const index = new MiniSearch<{ id: number; page: string; title: string; text: string }>({
    fields: ['title', 'page', 'text'],
    searchOptions: {
      boost: { title: 4, page: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      // "leavers" is near "leaves": what is spelt as typed comes first.
      weights: { prefix: 0.375, fuzzy: 0.05 },
      combineWith: 'AND',
    },
  });
  index.addAll(
    sections.map(([page, , title, text], id) => ({
      id,
      page: pages[page]?.[1] ?? '',
      title,
      text,
    })),
  );
  return (query) =>
    index
      .search(query)
      .slice(0, FOUND_MAX)
      .flatMap(({ id, terms }) => {
        const section = sections[id as number];
        if (section === undefined) return [];
        const [pageNumber, anchor, title, text] = section;
        const [name = '', page = ''] = pages[pageNumber] ?? [];
        return {
          href: anchor === '' ? name : `${name}#${anchor}`,
          page,
          section: anchor === '' ? page : title,
          excerpt: excerptOf(text, terms),
        };
      });
}

/** The part of a text around the first of the terms, with all of them marked. */
function excerptOf(text: string, terms: readonly string[]): Found['excerpt'] {
  const escaped = terms.map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const pattern = new RegExp(`(${escaped.join('|')})`, 'giu');
  const first = Math.max(0, text.search(pattern) - EXCERPT_BEFORE);
  const start = first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const end = start + EXCERPT_LENGTH;
  const part = `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  // Every second piece is a term.
  return part.split(pattern).map((piece, at) => ({ text: piece, isHit: at % 2 === 1 }));
}
