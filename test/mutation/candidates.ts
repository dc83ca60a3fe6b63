// Finds all possible mutations of a build: every mutator on every node of the compiled `src/`, with
// its source line. Mutates compiled code, so that no mutation has to be compiled; `tsc` preserves
// lines.
import { readdir } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join } from 'node:path/posix';
import type { BuiltCopy } from './built-copy.ts';
import { MUTATORS, type Replacement } from './mutators.ts';
import { child, children, nameOf, parse, type SyntaxNode } from './syntax.ts';

export type Candidate = Replacement & {
  /** Path of the compiled file from the root, such as `dist/src/query/language/lexer.js`. */
  readonly file: string;
  /**
   * Path of the source, such as `src/query/language/lexer.ts`, and the line there, counted from 1.
   */
  readonly source: string;
  readonly line: number;
  /** Where the range starts in that line, counted from 0. */
  readonly column: number;
  /** Name of the mutator. */
  readonly mutator: string;
  /** The compiled line, trimmed, without and with the mutation. */
  readonly before: string;
  readonly after: string;
};

/** Finds the candidates of a build, in the order of files and ranges. */
export async function findCandidates(copy: BuiltCopy): Promise<Candidate[]> {
  const names = await readdir(copy.path('dist/src'), { recursive: true });
  const files = names
    .map((name) => join('dist/src', name.replaceAll('\\', '/')))
    .filter((file) => file.endsWith('.js') && !file.endsWith('.test.js'))
    .sort();
  const candidates: Candidate[] = [];
  for (const file of files) {
    const text = await copy.read(file);
    const placeOf = placeInSource(await copy.read(`${file}.map`));
    const source = `${file.slice('dist/'.length, -'.js'.length)}.ts`;
    for (const { mutator, ...replacement } of findReplacements(text)) {
      const place = placeOf(text, replacement.start);
      if (place === null) continue;
      candidates.push({
        ...replacement,
        file,
        source,
        ...place,
        mutator,
        ...lines(text, replacement),
      });
    }
  }
  return candidates;
}

/** All replacements within one line, except in texts for logs and errors. */
export function findReplacements(text: string): (Replacement & { readonly mutator: string })[] {
  const found: (Replacement & { readonly mutator: string })[] = [];
  const visit = (node: SyntaxNode): void => {
    if (isMessage(node)) return;
    for (const { name, mutate } of MUTATORS) {
      for (const replacement of mutate(node, text)) {
        if (!text.slice(replacement.start, replacement.end).includes('\n')) {
          found.push({ ...replacement, mutator: name });
        }
      }
    }
    for (const each of children(node)) visit(each);
  };
  visit(parse(text));
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

const LOG_CALLS = new Set(['log', 'trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** Calls that create errors or write to the log or terminal; their texts are not mutated. */
function isMessage(node: SyntaxNode): boolean {
  if (node.type === 'ImportDeclaration') return true;
  if (node.type === 'NewExpression') return nameOf(child(node, 'callee')).endsWith('Error');
  if (node.type === 'ExpressionStatement') {
    const expression = child(node, 'expression');
    return expression !== null && isMessage(expression);
  }
  const callee = node.type === 'CallExpression' ? child(node, 'callee') : null;
  if (callee?.type !== 'MemberExpression') return false;
  const object = nameOf(child(callee, 'object'));
  return LOG_CALLS.has(nameOf(callee)) && (object === 'console' || /^log(ger)?$/.test(object));
}

function lines(text: string, { start, end, text: replacement }: Replacement): Lines {
  const first = text.lastIndexOf('\n', start - 1) + 1;
  const last = text.indexOf('\n', end);
  const line = text.slice(first, last < 0 ? undefined : last);
  const after = line.slice(0, start - first) + replacement + line.slice(end - first);
  return { before: line.trim(), after: after.trim() };
}

type Lines = Pick<Candidate, 'before' | 'after'>;

type Place = Pick<Candidate, 'line' | 'column'>;

/** Maps an offset in the compiled text to the source; null if the source map has no entry. */
function placeInSource(map: string): (text: string, offset: number) => Place | null {
  const sourceMap = new SourceMap(JSON.parse(map));
  return (text, offset) => {
    const before = text.slice(0, offset);
    const column = offset - (before.lastIndexOf('\n') + 1);
    const entry = sourceMap.findEntry(before.split('\n').length - 1, column);
    if (!('originalLine' in entry)) return null;
    // The map names the start of the expression; from there on both texts are the same.
    const behind = column - entry.generatedColumn;
    return { line: entry.originalLine + 1, column: entry.originalColumn + behind };
  };
}

/**
 * Chooses candidates with a seeded generator: first a source line, uniformly, then one of its
 * candidates. So mutations are proportional to the lines of a file, and no line has two.
 * @param random 0 or more, less than 1
 */
export function chooseCandidates(
  candidates: readonly Candidate[],
  count: number,
  random: () => number,
): Candidate[] {
  const byLine = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const line = `${candidate.source}:${candidate.line}`;
    byLine.set(line, [...(byLine.get(line) ?? []), candidate]);
  }
  const remaining = [...byLine.values()];
  const chosen: Candidate[] = [];
  while (chosen.length < count && remaining.length > 0) {
    const place = Math.floor(random() * remaining.length);
    const [ofLine = []] = remaining.splice(place, 1);
    const candidate = ofLine[Math.floor(random() * ofLine.length)];
    if (candidate !== undefined) chosen.push(candidate);
  }
  return chosen;
}
