// Matches a regular expression against one text, for the naive evaluator: by sets of offsets, with the
// ends of each part cached per start, so no expression takes exponential time.
import type { RegexpNode } from '../../src/query/language/regexp.ts';

/** True if the whole text matches. */
export function regexpMatches(node: RegexpNode, text: string): boolean {
  const matcher = new Matcher([...text]);
  return matcher.ends(node, 0).has(matcher.length);
}

type Offsets = ReadonlySet<number>;

class Matcher {
  private readonly chars: readonly string[];
  private readonly cachedEnds = new Map<RegexpNode, Map<number, Offsets>>();

  constructor(chars: readonly string[]) {
    this.chars = chars;
  }

  get length(): number {
    return this.chars.length;
  }

  /** Returns the offsets at which a match of `node` from `start` can end. */
  ends(node: RegexpNode, start: number): Offsets {
    let byStart = this.cachedEnds.get(node);
    if (byStart === undefined) {
      byStart = new Map();
      this.cachedEnds.set(node, byStart);
    }
    let ends = byStart.get(start);
    if (ends === undefined) {
      ends = this.match(node, start);
      byStart.set(start, ends);
    }
    return ends;
  }

  private match(node: RegexpNode, start: number): Offsets {
    const char = this.chars[start];
    switch (node.kind) {
      case 'union':
        return new Set(node.nodes.flatMap((part) => [...this.ends(part, start)]));
      case 'intersection': {
        const [first, ...rest] = node.nodes.map((part) => this.ends(part, start));
        return new Set([...(first ?? [])].filter((end) => rest.every((ends) => ends.has(end))));
      }
      case 'concat':
        return node.nodes.reduce<Offsets>((at, part) => this.after(part, at), new Set([start]));
      case 'repeat':
        return this.repeat(node, start);
      case 'class': {
        const code = char?.codePointAt(0) ?? -1;
        const listed = node.ranges.some(([from, to]) => code >= from && code <= to);
        return new Set(char !== undefined && listed !== node.negated ? [start + 1] : []);
      }
      case 'string': {
        const text = [...node.value];
        const same = text.every((expected, at) => this.chars[start + at] === expected);
        return new Set(same ? [start + text.length] : []);
      }
      case 'any':
        return new Set(char === undefined ? [] : [start + 1]);
      case 'anyString':
        return new Set(Array.from({ length: this.length - start + 1 }, (_, more) => start + more));
      case 'nothing':
        return new Set();
      case 'interval':
        return this.interval(node, start);
    }
  }

  private after(node: RegexpNode, starts: Offsets): Offsets {
    return new Set([...starts].flatMap((start) => [...this.ends(node, start)]));
  }

  /** Stops as soon as another repetition adds no offsets. */
  private repeat(
    { node, min, max }: RegexpNode & { readonly kind: 'repeat' },
    start: number,
  ): Offsets {
    let ends: Offsets = new Set([start]);
    for (let times = 0; times < min; times += 1) {
      const next = this.after(node, ends);
      if (next.size === ends.size && [...next].every((end) => ends.has(end))) break;
      ends = next;
    }
    const all = new Set(ends);
    for (let times = min; max === null || times < max; times += 1) {
      ends = this.after(node, ends);
      const before = all.size;
      for (const end of ends) all.add(end);
      if (all.size === before) break;
    }
    return all;
  }

  private interval(
    { min, max, digits }: RegexpNode & { readonly kind: 'interval' },
    start: number,
  ): Offsets {
    const ends = new Set<number>();
    for (let end = start + 1; /^\d$/.test(this.chars[end - 1] ?? ''); end += 1) {
      const number = Number(this.chars.slice(start, end).join(''));
      const fits = digits === 0 || end - start === digits;
      if (fits && number >= min && number <= max) ends.add(end);
    }
    return ends;
  }
}
