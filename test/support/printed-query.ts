// Parses the output of formatQuery, so that tests can check that it is complete. Shares no code
// with it.
import type { NumberColumn, Query, TermForm } from '../../src/query/query.ts';

/** @throws Error if the text is not a printed query */
export function readPrintedQuery(text: string): Query {
  const reader = new Reader(text);
  const query = reader.query();
  if (!reader.isAtEnd) reader.fail('the end');
  return query;
}

const NAME = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.-]*/uy;
const VALUE = /[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_.@,'-]*[\p{L}\p{N}\p{M}_.@'-])?/uy;
const PATTERN = /(?:[\p{L}\p{N}_.@'*?-]|\\[*?\\])+/uy;
const STRING = /"(?:[^"\\]|\\.)*"/uy;
const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/uy;
const REGEXP = /\/((?:[^/\\]|\\.)*)\//uy;
const SUFFIX = /\.(word|folded|exact|date|number)$/;

interface Named {
  readonly field: string;
  /** The form or the column, if given. */
  readonly suffix: string | undefined;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  fail(expected: string): never {
    throw new Error(`${expected} at ${this.#at} of ${this.#text}`);
  }

  query(): Query {
    const query = this.#body();
    if (!this.#take('^')) return query;
    return { ...query, boost: this.#number() } as Query;
  }

  #body(): Query {
    if (this.#take('*:*')) return { kind: 'matchAll' };
    if (this.#take('-*:*')) return { kind: 'matchNone' };
    if (this.#take('constant(')) {
      const query = this.query();
      this.#expect(')');
      return { kind: 'constantScore', query };
    }
    if (this.#take('best(')) return this.#several(true);
    if (this.#take('(')) return this.#several(false);
    if (this.#take('@')) return this.#nested();
    if (this.#take('_exists_:')) return { kind: 'exists', field: this.#named().field };
    if (this.#take('_id:')) return { kind: 'ids', values: this.#list(() => this.#value()) };
    return this.#ofField();
  }

  /** After the opening parenthesis of a bool or disMax query. */
  #several(best: boolean): Query {
    const parts = this.#parts();
    if (!best && !parts.some(({ best: one }) => one)) return this.#least(boolOf(parts));
    // Parts of a disMax query have no sign, so `-*:*` is matchNone.
    const queries = parts.map(({ sign, query }) => (sign === '-' ? NONE : query));
    return { kind: 'disMax', queries, tieBreaker: this.#take('~') ? this.#number() : 0 };
  }

  #least(bool: Query): Query {
    return this.#take('~') ? ({ ...bool, minimumShouldMatch: this.#number() } as Query) : bool;
  }

  /** Up to and including the closing parenthesis. */
  #parts(): Part[] {
    const parts: Part[] = [];
    while (!this.#take(')')) {
      const best = this.#take(' | ');
      if (!best && parts.length > 0) this.#expect(' ');
      parts.push({ ...this.#part(), best });
    }
    return parts;
  }

  #part(): Omit<Part, 'best'> {
    if (this.#take('nothing')) return { sign: '', query: { kind: 'matchNone' } };
    const sign = ['+', '#', '-'].find((one) => this.#take(one)) ?? '';
    return { sign, query: this.query() };
  }

  #nested(): Query {
    const { field: path } = this.#named();
    const mode = this.#match(/\[(\w+)\]/y)?.[1] ?? 'max';
    this.#expect('(');
    const began = this.#at;
    const parts = this.#parts();
    const [only] = parts;
    const one = parts.length === 1 && only?.sign === '' ? only.query : undefined;
    const none = this.#text.startsWith('-*:*)', began);
    const several = parts.some(({ best }) => best) ? undefined : boolOf(parts);
    const query: Query | undefined = none ? { kind: 'matchNone' } : (one ?? several);
    if (query === undefined) return this.fail('no bars');
    return { kind: 'nested', path, query, scoreMode: mode as 'max' };
  }

  #ofField(): Query {
    const { field, suffix } = this.#named();
    const form = (suffix ?? 'word') as TermForm;
    const column = (suffix ?? 'value') as NumberColumn;
    if (this.#take('=')) {
      const values =
        this.#text[this.#at] === '{' ? this.#list(() => this.#number()) : [this.#number()];
      return { kind: 'numbers', field, column, values };
    }
    this.#expect(':');
    const bounds = this.#range();
    if (bounds !== null) {
      const words = bounds.words || suffix === 'word' || suffix === 'folded' || suffix === 'exact';
      return words
        ? ({ kind: 'termRange', field, form, ...bounds.of(String) } as Query)
        : ({ kind: 'numberRange', field, column, ...bounds.of(Number) } as Query);
    }
    if (this.#text[this.#at] === '{') {
      return { kind: 'terms', field, form, values: this.#list(() => this.#value()) };
    }
    const regexp = this.#match(REGEXP)?.[1] ?? this.#call('regexp');
    if (regexp !== undefined) return { kind: 'regexp', field, form, pattern: regexp };
    const wildcard = this.#call('wildcard');
    if (wildcard !== undefined) return { kind: 'wildcard', field, form, pattern: wildcard };
    if (this.#text[this.#at] === '[') return this.#phrase(field, this.#json() as string[]);
    if (this.#text[this.#at] === '"' && suffix === undefined && !this.#isPrefix()) {
      return this.#phrase(field, (this.#json() as string).split(' '));
    }
    return this.#term(field, form);
  }

  /** True if a star without a number follows the quotes. */
  #isPrefix(): boolean {
    return /^"(?:[^"\\]|\\.)*"\*(?!\d)/u.test(this.#text.slice(this.#at));
  }

  #phrase(field: string, terms: readonly string[]): Query {
    const slop = this.#take('~') ? this.#number() : 0;
    const expansions = this.#take('*') ? { prefixExpansions: this.#number() } : {};
    return { kind: 'phrase', field, terms, slop, ...expansions };
  }

  #term(field: string, form: TermForm): Query {
    const began = this.#at;
    const value = this.#text[this.#at] === '"' ? String(this.#json()) : this.#match(VALUE)?.[0];
    const next = this.#text.slice(this.#at);
    if (value !== undefined && /^\*(?![\p{L}\p{N}_.@'*?\\-])/u.test(next)) {
      this.#expect('*');
      return { kind: 'prefix', field, form, value };
    }
    if (value !== undefined && this.#take('~')) {
      const maxEdits = this.#number() as 0;
      const [prefixLength, maxExpansions] = this.#bounds();
      return { kind: 'fuzzy', field, form, value, maxEdits, prefixLength, maxExpansions };
    }
    if (value !== undefined && !/^[*?\\_.@'-]/u.test(next))
      return { kind: 'term', field, form, value };
    this.#at = began;
    const pattern = this.#match(PATTERN)?.[0] ?? this.fail('a pattern');
    return { kind: 'wildcard', field, form, pattern };
  }

  /** The bounds of a fuzzy query, if they are not the defaults. */
  #bounds(): [prefixLength: number, maxExpansions: number] {
    if (!this.#take('[')) return [0, 50];
    const prefixLength = this.#number();
    this.#expect(', ');
    const maxExpansions = this.#number();
    this.#expect(']');
    return [prefixLength, maxExpansions];
  }

  /** null if there is no range here. */
  #range() {
    const began = this.#at;
    const bounds: [name: string, value: string, word: boolean][] = [];
    const bound = (): [string, boolean] => {
      const number = this.#match(NUMBER)?.[0];
      if (number !== undefined && /^[ \]}]/.test(this.#text.slice(this.#at)))
        return [number, false];
      this.#at -= number?.length ?? 0;
      return [this.#value(), true];
    };
    try {
      while (this.#match(/(?: & )?(?=[{[])/y) !== undefined) {
        const name = this.#take('{') ? 'gt' : 'gte';
        if (name === 'gte') this.#expect('[');
        if (this.#take('*')) break;
        bounds.push([name, ...bound()]);
      }
      this.#expect(' TO ');
      while (!this.#take('*]')) {
        const [value, word] = bound();
        const name = this.#take('}') ? 'lt' : 'lte';
        if (name === 'lte') this.#expect(']');
        bounds.push([name, value, word]);
        if (!this.#take(' & ')) break;
      }
    } catch {
      this.#at = began;
      return null;
    }
    const of = (read: (text: string) => string | number) =>
      Object.fromEntries(bounds.map(([name, value]) => [name, read(value)]));
    return { words: bounds.some(([, , word]) => word), of };
  }

  #list<Value>(one: () => Value): Value[] {
    const values: Value[] = [];
    this.#expect('{');
    while (!this.#take('}')) {
      if (values.length > 0) this.#expect(', ');
      values.push(one());
    }
    return values;
  }

  #named(): Named {
    if (this.#text[this.#at] === '"') {
      const field = String(this.#json());
      return { field, suffix: this.#match(/\.(word|folded|exact|date|number)/y)?.[1] };
    }
    const name = this.#match(NAME)?.[0] ?? this.fail('a name');
    return { field: name.replace(SUFFIX, ''), suffix: SUFFIX.exec(name)?.[1] };
  }

  #value(): string {
    if (this.#text[this.#at] === '"') return String(this.#json());
    return this.#match(VALUE)?.[0] ?? this.fail('a value');
  }

  #number(): number {
    return Number(this.#match(NUMBER)?.[0] ?? this.fail('a number'));
  }

  #json(): unknown {
    const list = /\[(?:"(?:[^"\\]|\\.)*",?)*\]/uy;
    const json = this.#match(STRING)?.[0] ?? this.#match(list)?.[0];
    return JSON.parse(json ?? this.fail('JSON'));
  }

  #call(name: string): string | undefined {
    if (!this.#take(`${name}("`)) return undefined;
    this.#at -= 1;
    const argument = String(this.#json());
    this.#expect(')');
    return argument;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.fail(JSON.stringify(text));
  }
}

const NONE: Query = { kind: 'matchNone' };

interface Part {
  readonly sign: string;
  readonly query: Query;
  /** True if a bar precedes it. */
  readonly best: boolean;
}

function boolOf(parts: readonly Part[]): Query {
  const of = (sign: string) => parts.filter((part) => part.sign === sign).map(({ query }) => query);
  return { kind: 'bool', must: of('+'), should: of(''), filter: of('#'), mustNot: of('-') };
}
