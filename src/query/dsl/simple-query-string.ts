// Parses simple_query_string as Lucene's SimpleQueryParser does: `+` and, `|` or, `-` not,
// "phrases", a* prefixes, (groups), ~n after a word (edits) or a phrase (slop), `\` escapes the
// next character. There is no precedence: a different operator makes one operand of everything
// before it. Malformed parts are ignored.

import type { Clause, Leaf, Node } from '../language/syntax.ts';
import { limitFault, type QueryLimits } from '../limits.ts';

/**
 * Parses a text to the clauses of the query language; empty if no clause is left.
 * @throws ServiceError `limit_exceeded` only
 */
export function parseSimpleQueryString(
  text: string,
  defaultOperator: 'and' | 'or',
  limits: QueryLimits,
): readonly Clause[] {
  if (text.length > limits.maxQueryLength) {
    throw limitFault('maxQueryLength', limits.maxQueryLength, 'characters in a query');
  }
  const node = new SimpleParser(text, defaultOperator, limits).parse();
  return node === null ? [] : [clauseOf(node, null)];
}

const BLANK = /[\s\u3000]/;

class SimpleParser {
  private readonly text: string;
  private readonly defaultOperator: 'and' | 'or';
  private readonly limits: QueryLimits;
  private at = 0;
  private leaves = 0;
  private depth = 0;
  private operatorChanges = 0;

  constructor(text: string, defaultOperator: 'and' | 'or', limits: QueryLimits) {
    this.text = text;
    this.defaultOperator = defaultOperator;
    this.limits = limits;
  }

  parse(): Node | null {
    let all: Chain | null = null;
    while (this.at < this.text.length) {
      // Skips an unmatched closing parenthesis.
      const part = this.group();
      if (part !== null) all = this.append(all, this.defaultOperator, part);
      this.at += 1;
    }
    return all === null ? null : nodeOf(all);
  }

  /** Parses up to the closing parenthesis or the end. */
  private group(): Node | null {
    this.depth += 1;
    if (this.depth > this.limits.maxDepth) {
      throw limitFault('maxDepth', this.limits.maxDepth, 'levels of parentheses', {
        offset: this.at,
      });
    }
    let top: Chain | null = null;
    let operator: 'and' | 'or' | null = null;
    let negated = false;
    while (this.at < this.text.length) {
      const char = this.text.charAt(this.at);
      if (char === ')') break;
      if (BLANK.test(char)) {
        this.at += 1;
        negated = false;
        continue;
      }
      if (char === '+' || char === '|') {
        this.at += 1;
        negated = false;
        if (top !== null) operator = char === '+' ? 'and' : 'or';
        continue;
      }
      if (char === '-') {
        this.at += 1;
        negated = !negated;
        continue;
      }
      const node = this.node(char);
      if (node !== null) {
        top = this.append(top, operator ?? this.defaultOperator, negated ? not(node) : node);
        operator = null;
      }
      negated = false;
    }
    this.depth -= 1;
    return top === null ? null : nodeOf(top);
  }

  /** Appends a node; a different operator than before groups all nodes before it. */
  private append(top: Chain | null, operator: 'and' | 'or', node: Node): Chain {
    if (top === null) return { operator: null, nodes: [node] };
    if (top.operator !== null && top.operator !== operator) {
      this.operatorChanges += 1;
      if (this.operatorChanges > this.limits.maxDepth) {
        throw limitFault('maxDepth', this.limits.maxDepth, 'changes between + and |', {
          offset: this.at,
        });
      }
      return { operator, nodes: [nodeOf(top), node] };
    }
    top.nodes.push(node);
    return { operator, nodes: top.nodes };
  }

  private node(first: string): Node | null {
    const offset = this.at;
    if (first === '(') {
      this.at += 1;
      const inner = this.group();
      this.at += 1;
      return inner;
    }
    const leaf = first === '"' ? this.phrase() : this.word();
    if (leaf === null) return null;
    this.leaves += 1;
    if (this.leaves > this.limits.maxClauses) {
      throw limitFault('maxClauses', this.limits.maxClauses, 'clauses in a query', { offset });
    }
    const all = leaf.kind === 'term' && this.defaultOperator === 'and';
    return { kind: 'leaf', field: null, leaf: all ? { ...leaf, all: true } : leaf, offset };
  }

  /** Parses a phrase; skips an unclosed quote. */
  private phrase(): Leaf | null {
    const { text } = this;
    const start = this.at + 1;
    let inner = '';
    for (let at = start; at < text.length; at += 1) {
      const char = text.charAt(at);
      if (char === '\\' && at + 1 < text.length) {
        at += 1;
        inner += text.charAt(at);
        continue;
      }
      if (char !== '"') {
        inner += char;
        continue;
      }
      this.at = at + 1;
      const slop = /^~(\d{1,9})(?=[\s\u3000"|+()]|$)/.exec(text.slice(this.at, this.at + 12));
      this.at += slop?.[0].length ?? 0;
      return inner === '' ? null : { kind: 'phrase', text: inner, slop: Number(slop?.[1] ?? 0) };
    }
    this.at = start;
    return null;
  }

  private word(): Leaf | null {
    const { text } = this;
    let word = '';
    let star = false;
    while (this.at < text.length) {
      const char = text.charAt(this.at);
      if (BLANK.test(char) || '"|+()'.includes(char)) break;
      const edits = char === '~' && word !== '' ? this.edits() : null;
      if (edits !== null) return { kind: 'fuzzy', text: word, edits };
      star = char === '*';
      if (char === '\\' && this.at + 1 < text.length) this.at += 1;
      word += text.charAt(this.at);
      this.at += 1;
    }
    if (word === '*' && star) return { kind: 'any' };
    if (star && word.length > 1) return { kind: 'prefix', text: word.slice(0, -1) };
    return word === '' ? null : { kind: 'term', text: word };
  }

  /** Parses `~` and digits at the end of a word; null if `~` is an ordinary character. */
  private edits(): number | null {
    const match = /^~(\d{0,9})(?=[\s\u3000"|+()]|$)/.exec(this.text.slice(this.at, this.at + 12));
    if (match === null) return null;
    this.at += match[0].length;
    return Math.min(2, match[1] === '' ? 2 : Number(match[1]));
  }
}

interface Chain {
  readonly operator: 'and' | 'or' | null;
  readonly nodes: Node[];
}

function nodeOf({ operator, nodes }: Chain): Node {
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return only;
  const modifier = operator === 'and' ? 'must' : null;
  return groupOf(nodes.map((node) => clauseOf(node, modifier)));
}

/** Matches everything but the node. */
function not(node: Node): Node {
  return groupOf([clauseOf(node, 'mustNot')]);
}

function groupOf(clauses: readonly Clause[]): Node {
  return { kind: 'group', field: null, clauses, offset: 0 };
}

function clauseOf(node: Node, modifier: Clause['modifier']): Clause {
  return { conjunction: null, modifier, node };
}
