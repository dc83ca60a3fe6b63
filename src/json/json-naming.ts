// Finds the path of a fault in a JSON text. Slower than json-scan.ts, and run only on documents
// that are rejected, after JSON.parse has accepted their syntax and json-scan.ts their depth.

/** The path of the innermost member at a character offset, e.g. `accounts[0].created`. */
export function pathAt(text: string, offset: number): string {
  let path = '';
  eachMember(text, (candidate, start) => {
    if (start <= offset) path = candidate;
  });
  return path;
}

/** The path of the first duplicate member of an object, or null. */
export function duplicateMember(text: string): string | null {
  const seen = new Set<string>();
  let duplicate: string | null = null;
  // Objects are distinguished by offset, because names may contain dots.
  eachMember(text, (path, _start, name, object) => {
    if (name === null || duplicate !== null) return;
    const key = `${object} ${name}`;
    if (seen.has(key)) duplicate = path;
    seen.add(key);
  });
  return duplicate;
}

/**
 * Visits members and elements in order. `start`: offset of the key or element; `name`: null for an
 * element; `object`: offset of the enclosing bracket.
 */
function eachMember(
  text: string,
  visit: (path: string, start: number, name: string | null, object: number) => void,
): void {
  interface Level {
    readonly offset: number;
    readonly path: string;
    readonly array: boolean;
    position: number;
    name: string | null;
  }
  const levels: Level[] = [];
  for (const [part, start] of tokens(text)) {
    const level = levels.at(-1);
    if (part === '}' || part === ']') {
      levels.pop();
    } else if (part === ',') {
      if (level !== undefined) level.name = null;
      if (level?.array) level.position++;
    } else if (part !== ':') {
      if (level !== undefined && !level.array && level.name === null) {
        level.name = JSON.parse(part) as string;
        visit(memberPath(level.path, level.name), start, level.name, level.offset);
        continue;
      }
      let path = '';
      if (level?.array) {
        path = `${level.path}[${level.position}]`;
        visit(path, start, null, level.offset);
      } else if (level !== undefined) {
        path = memberPath(level.path, level.name ?? '');
      }
      if (part === '{' || part === '[') {
        levels.push({ offset: start, path, array: part === '[', position: 0, name: null });
      }
    }
  }
}

/**
 * Each token with its offset. Strings are scanned by hand: a pattern would overflow the stack on a
 * long one.
 */
function* tokens(text: string): Generator<readonly [token: string, start: number]> {
  const other = /[{}[\],:]|[^\s{}[\],:"]+|"/g;
  for (let match = other.exec(text); match !== null; match = other.exec(text)) {
    const start = match.index;
    if (match[0] === '"') {
      let end = start + 1;
      while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      other.lastIndex = end + 1;
    }
    yield [text.slice(start, other.lastIndex), start];
  }
}

function memberPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}
