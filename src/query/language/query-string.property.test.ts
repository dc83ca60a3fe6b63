// Any syntax tree parses back from its text; any text yields a query or a ServiceError.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { caseCount } from '../../../test/support/case-count.ts';
import { readPrintedQuery } from '../../../test/support/printed-query.ts';
import { planSearch, testContext } from '../../../test/support/query-context.ts';
import { ServiceError } from '../../errors.ts';
import { formatQuery } from '../format-query.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { Plan } from '../plan.ts';
import { parseQueryString } from './query-string.ts';
import type { Bound, Clause, Leaf, Node } from './syntax.ts';

const context = testContext();

function write(clauses: readonly Clause[]): string {
  return clauses
    .map(({ conjunction, modifier, node }) => {
      const before = conjunction === null ? '' : `${conjunction.toUpperCase()} `;
      const sign = modifier === null ? '' : modifier === 'must' ? '+' : '-';
      return `${before}${sign}${writeNode(node)}`;
    })
    .join(' ');
}

function writeNode(node: Node): string {
  const boost = 'boost' in node && node.boost !== undefined ? `^${node.boost}` : '';
  const field = 'field' in node && node.field !== null ? `${escaped(node.field)}:` : '';
  switch (node.kind) {
    case 'leaf':
      return `${field}${writeLeaf(node.leaf)}${boost}`;
    case 'group':
      return `${field}(${write(node.clauses)})${boost}`;
    case 'nested':
      return `@${node.path}(${write(node.clauses)})${boost}`;
    case 'shorthand':
      return `@${writeNode(node.node)}`;
  }
}

function writeLeaf(leaf: Leaf): string {
  switch (leaf.kind) {
    case 'term':
      return escaped(leaf.text);
    case 'fuzzy':
      return `${escaped(leaf.text)}~${leaf.edits ?? ''}`;
    case 'phrase':
      return `"${leaf.text.replace(/["\\]/g, '\\$&')}"${leaf.slop === 0 ? '' : `~${leaf.slop}`}`;
    case 'prefix':
      return `${escaped(leaf.text)}*`;
    case 'wildcard':
      return leaf.pattern;
    case 'regexp':
      return `/${leaf.pattern}/`;
    case 'range': {
      const { lower, upper } = leaf;
      const open = lower?.inclusive === true ? '[' : '{';
      const close = upper?.inclusive === true ? ']' : '}';
      return `${open}${writeBound(lower)} TO ${writeBound(upper)}${close}`;
    }
    case 'any':
      return '*';
  }
}

function writeBound(bound: Bound | undefined): string {
  return bound === undefined ? '*' : `"${bound.text.replace(/["\\]/g, '\\$&')}"`;
}

function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N}_.]/gu, '\\$&').replace(/^(?=(?:AND|OR|NOT)$)/, '\\');
}

/** Removes offsets, which depend on the text. */
function withoutOffsets(clauses: readonly Clause[]): unknown {
  return JSON.parse(
    JSON.stringify(clauses, (key: string, value: unknown) =>
      key === 'offset' ? undefined : value,
    ),
  );
}

const text = fc
  .string({
    unit: fc.constantFrom(...'aB9 éß_-+!():^[]"{}~*?\\/@&|<>=,.'),
    minLength: 1,
    maxLength: 8,
  })
  .filter((sample) => !/^[+!-]$/.test(sample));
const name = fc.constantFrom('name', 'id', 'created', 'accounts.name', 'x y', 'attributes.*');
const boost = fc.option(fc.constantFrom(0, 1, 2.5), { nil: undefined });
const bound = fc.option(fc.record({ text: fc.string({ maxLength: 4 }), inclusive: fc.boolean() }), {
  nil: undefined,
});
const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({ kind: fc.constant('term' as const), text }),
  fc.record({ kind: fc.constant('fuzzy' as const), text, edits: fc.constantFrom(null, 0, 0.5, 2) }),
  fc.record({ kind: fc.constant('phrase' as const), text: fc.string(), slop: fc.nat(5) }),
  fc.record({ kind: fc.constant('prefix' as const), text }),
  fc.record({
    kind: fc.constant('wildcard' as const),
    pattern: fc.constantFrom('*a*', 'a?b', '?\\*\\\\'),
  }),
  fc.record({
    kind: fc.constant('regexp' as const),
    pattern: fc.constantFrom('a.*', '[a-z]{2}|\\/'),
  }),
  fc.record({ kind: fc.constant('range' as const), lower: bound, upper: bound }),
  fc.constant({ kind: 'any' as const }),
) as fc.Arbitrary<Leaf>;

const { clauses } = fc.letrec<{ clauses: Clause[]; node: Node; leafNode: Node }>((tie) => ({
  leafNode: fc.record({
    kind: fc.constant('leaf' as const),
    field: fc.option(name),
    leaf,
    boost,
    offset: fc.constant(0),
  }) as fc.Arbitrary<Node>,
  node: fc.oneof(
    { maxDepth: 3 },
    tie('leafNode'),
    fc.record({
      kind: fc.constant('group' as const),
      field: fc.option(name),
      clauses: tie('clauses'),
      boost,
      offset: fc.constant(0),
    }) as fc.Arbitrary<Node>,
    fc.record({
      kind: fc.constant('nested' as const),
      path: fc.constantFrom('accounts', 'apps', 'nope'),
      clauses: tie('clauses'),
      boost,
      offset: fc.constant(0),
    }) as fc.Arbitrary<Node>,
  ),
  clauses: fc
    .array(
      fc.record({
        conjunction: fc.constantFrom('and' as const, 'or' as const, null),
        modifier: fc.constantFrom('must' as const, 'mustNot' as const, null),
        node: tie('node'),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((list) =>
      list.map((clause, at) => (at === 0 ? { ...clause, conjunction: null } : clause)),
    ),
}));

test('a tree written as text parses back to the same tree', () => {
  fc.assert(
    fc.property(clauses, (tree) => {
      const parsed = parseQueryString(write(tree), DEFAULT_LIMITS);
      assert.deepEqual(withoutOffsets(parsed), withoutOffsets(tree));
    }),
    { numRuns: caseCount(400, 1500) },
  );
});

test('a printed plan parses back to the same plan', () => {
  let planned = 0;
  fc.assert(
    fc.property(clauses, (tree) => {
      const query = write(tree);
      const plan = planOf(query);
      if (plan === null) return;
      planned += 1;
      for (const target of plan.targets) {
        assert.deepEqual(readPrintedQuery(formatQuery(target.query)), target.query, query);
      }
    }),
    { numRuns: caseCount(400, 1500) },
  );
  assert.ok(planned > caseCount(80, 300), String(planned));
});

/** Returns null if the text is rejected because a value does not suit its field. */
function planOf(query: string): Plan | null {
  try {
    return planSearch({ query: { query } }, {}, context);
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return null;
  }
}

test('any text yields a query or a ServiceError with an offset within the text', () => {
  const piece = fc.oneof(
    fc.constantFrom(...'ab +-!():^[]"{}~*?\\/@&|<>=.,\u3000'),
    fc.constantFrom(
      ' AND ',
      ' OR ',
      'NOT ',
      ' TO ',
      'name:',
      'created:',
      '@accounts(',
      'now',
      '\\u00',
    ),
    anyText({ maxLength: 2 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const query = pieces.join('');
      try {
        const plan = planSearch({ query: { query } }, {}, context);
        assert.deepEqual(JSON.parse(JSON.stringify(plan)), plan);
      } catch (error) {
        assert.ok(error instanceof ServiceError, `${JSON.stringify(query)}: ${String(error)}`);
        const { offset = 0, causes = [] } = error.details;
        assert.ok(offset >= 0 && offset <= query.length, JSON.stringify(query));
        const [, shown, ...more] = causes;
        assert.deepEqual(more, []);
        if (error.details.offset === undefined) assert.equal(shown, undefined);
        else assert.match(shown ?? '', /^[^\n]{0,62}\n {0,61}\^$/u);
      }
    }),
    { numRuns: caseCount(800, 3000) },
  );
});
