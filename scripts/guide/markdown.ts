// Reads a page of Markdown: its HTML, what its headings are linked by, and its text by section, for the search.
import { Marked, Parser, Renderer, type Token, type Tokens } from 'marked';

/** A heading with the text below it. */
export interface Section {
  /** What it is linked by; empty for the beginning of the page. */
  readonly id: string;
  readonly depth: number;
  readonly title: string;
  /** Plain text, in one line. */
  readonly text: string;
}

export interface MarkdownPage {
  /** That of the first heading. */
  readonly title: string;
  /** The first sentence, as plain text. */
  readonly summary: string;
  readonly sections: readonly Section[];
  /** All that links to the page can name after `#`. */
  readonly anchors: ReadonlySet<string>;
  /** What a row of a table is linked by, such as `CARDEA_PORT`: the name that its first cell begins with. By that cell. */
  readonly rowIds: ReadonlyMap<Tokens.TableCell, string>;
  readonly tokens: readonly Token[];
}

/** How the links and pictures of a page are written. */
export interface Targets {
  /** The address of a link. */
  link(target: string): string;
  /** What a link says instead of the name of a file, such as `search.md`. */
  name(file: string): string;
  /** The size of a picture in pixels. */
  picture(target: string): { readonly width: number; readonly height: number };
}

const ROW_ID = /^[\w.-]+$/;
/** Headings down to this depth begin a section of the search. */
const SECTION_DEPTH = 3;
const PAGE_FILE = /^(?:docs\/)?[\w-]+\.md$/;
const ANCHOR = /<a id="([^"]+)">/g;

/** Reads a page. @throws Error where it does not begin with a heading */
export function readMarkdown(text: string): MarkdownPage {
  // No text becomes a link by itself: addresses in tables of settings are examples.
  const tokens = new Marked({ tokenizer: { url: () => undefined } }).lexer(text);
  const [first] = tokens;
  if (first?.type !== 'heading') throw new Error('The page does not begin with a heading');
  const slugs = new Slugs();
  const anchors = new Set([...text.matchAll(ANCHOR)].map(([, id = '']) => id));
  const sections: (Section & { text: string })[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const title = plainText(token);
      const id = slugs.next(title);
      anchors.add(id);
      if (token['depth'] <= SECTION_DEPTH) {
        sections.push({
          id: sections.length === 0 ? '' : id,
          depth: token['depth'],
          title,
          text: '',
        });
        continue;
      }
    }
    const section = sections.at(-1);
    if (section !== undefined) section.text = `${section.text} ${oneLine(plainText(token))}`.trim();
  }
  const rowIds = new Map<Tokens.TableCell, string>();
  for (const cell of tokens.flatMap(firstCells)) {
    const [name] = cell.tokens;
    const id = name?.type === 'codespan' ? plainText(name) : '';
    if (!ROW_ID.test(id) || anchors.has(id)) continue;
    anchors.add(id);
    rowIds.set(cell, id);
  }
  const paragraph = tokens.find(({ type }) => type === 'paragraph');
  const opening = paragraph === undefined ? '' : oneLine(plainText(paragraph));
  const summary = /^.*?[.:](?= |$)/.exec(opening)?.[0].replace(/:$/, '.') ?? opening;
  return { title: plainText(first), summary, sections, anchors, rowIds, tokens };
}

/** The page as HTML. */
export function renderMarkdown({ tokens, rowIds }: MarkdownPage, targets: Targets): string {
  return Parser.parse([...tokens], { renderer: new GuideRenderer(targets, rowIds) });
}

/** The Markdown with each link and picture at the address that `link` returns. */
export function withLinks(text: string, link: (target: string) => string): string {
  return text.replaceAll(/(?<=\]\()[^)\s]+(?=\))/g, link);
}

class GuideRenderer extends Renderer {
  readonly #targets: Targets;
  readonly #rowIds: MarkdownPage['rowIds'];
  readonly #slugs = new Slugs();

  constructor(targets: Targets, rowIds: MarkdownPage['rowIds']) {
    super();
    this.#targets = targets;
    this.#rowIds = rowIds;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const id = this.#slugs.next(tokens.map(plainText).join(''));
    const html = this.parser.parseInline(tokens);
    if (depth === 1) return `<h1>${html}</h1>\n`;
    return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const text = tokens.map(plainText).join('');
    const html = PAGE_FILE.test(text)
      ? escapeHtml(this.#targets.name(text))
      : this.parser.parseInline(tokens);
    return `<a href="${escapeHtml(this.#targets.link(href))}">${html}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    const { width, height } = this.#targets.picture(href);
    const address = escapeHtml(this.#targets.link(href));
    return `<a class="picture" href="${address}"><img src="${address}" alt="${escapeHtml(text)}" width="${width}" height="${height}" loading="lazy" decoding="async"></a>`;
  }

  override code({ text }: Tokens.Code): string {
    return `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>\n`;
  }

  override table({ header, rows }: Tokens.Table): string {
    const row = (cells: readonly Tokens.TableCell[]) => {
      const [first] = cells;
      const id = first === undefined ? undefined : this.#rowIds.get(first);
      const html = cells.map((cell) => this.tablecell(cell).trimEnd()).join('');
      return `<tr${id === undefined ? '' : ` id="${id}"`}>${html}</tr>\n`;
    };
    const body = `<thead>${row(header)}</thead>\n<tbody>${rows.map(row).join('')}</tbody>`;
    return `<div class="table" role="region" aria-label="Table" tabindex="0"><table>${body}</table></div>\n`;
  }
}

/** What GitHub links headings by. */
class Slugs {
  readonly #counts = new Map<string, number>();

  /** The next heading of the page. */
  next(title: string): string {
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = this.#counts.get(slug) ?? 0;
    this.#counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  }
}

/** The first cells of the rows of a table; none of anything else. */
function firstCells(token: Token): Tokens.TableCell[] {
  return token.type === 'table' ? (token as Tokens.Table).rows.flatMap(([cell]) => cell ?? []) : [];
}

/** The text of a token without its markup. */
function plainText(token: Token): string {
  if (token.type === 'html' || token.type === 'space') return '';
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows]
      .map((cells) => cells.map((cell) => cell.tokens.map(plainText).join('')).join(' · '))
      .join('; ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(plainText).join(' ');
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(plainText).join('');
  return 'text' in token ? String(token.text) : '';
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A text as HTML, also within an attribute. */
export function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  return text.replaceAll(/[&<>"]/g, (character) => `&${names[character]};`);
}
