// The mutators: each returns replacements for one node of the syntax tree that simulate a plausible
// mistake. The mutated program is valid JavaScript.
import { child, nameOf, type SyntaxNode } from './syntax.ts';

/** A range of the text and its replacement. */
export type Replacement = { readonly start: number; readonly end: number; readonly text: string };

export type Mutator = {
  /** Name for reports. */
  readonly name: string;
  /** The replacements of a node; empty if the mutator does not apply. */
  mutate(node: SyntaxNode, text: string): readonly Replacement[];
};

const SWAPPED_COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};
const SWAPPED_ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
};
const SWAPPED_ASSIGNMENTS: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '|=': '&=',
  '&=': '|=',
};
const SWAPPED_LOGIC: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };
const SWAPPED_CALLS: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  indexOf: 'lastIndexOf',
  floor: 'ceil',
  ceil: 'floor',
};
/** Calls that can be replaced by the value on which they are made. */
const DROPPED_CALLS = new Set(['filter', 'reverse', 'sort', 'toLowerCase', 'toSorted', 'trim']);

/** Larger integers are sizes and times, for which one more or less makes no difference. */
const OFF_BY_ONE_MAX = 16;

export const MUTATORS: readonly Mutator[] = [
  {
    name: 'comparison',
    mutate: (node, text) => swapOperator(node, text, 'BinaryExpression', SWAPPED_COMPARISONS),
  },
  {
    name: 'arithmetic',
    mutate: (node, text) =>
      joinsStrings(node) ? [] : swapOperator(node, text, 'BinaryExpression', SWAPPED_ARITHMETIC),
  },
  {
    name: 'assignment',
    mutate: (node, text) =>
      joinsStrings(node)
        ? []
        : swapOperator(node, text, 'AssignmentExpression', SWAPPED_ASSIGNMENTS),
  },
  {
    name: 'logic',
    mutate: (node, text) => swapOperator(node, text, 'LogicalExpression', SWAPPED_LOGIC),
  },
  {
    name: 'fallback',
    mutate: (node, text) =>
      node.type === 'LogicalExpression' && node['operator'] === '??'
        ? [replaced(node, source(child(node, 'left'), text))]
        : [],
  },
  {
    name: 'negation',
    mutate: (node, text) =>
      node.type === 'UnaryExpression' && node['operator'] === '!'
        ? [replaced(node, source(child(node, 'argument'), text))]
        : [],
  },
  { name: 'condition', mutate: invertCondition },
  { name: 'branch', mutate: dropBranch },
  { name: 'result', mutate: invertResult },
  { name: 'number', mutate: offByOne },
  {
    name: 'boolean',
    mutate: (node) =>
      node.type === 'Literal' && typeof node['value'] === 'boolean'
        ? [replaced(node, String(!node['value']))]
        : [],
  },
  {
    name: 'step',
    mutate: (node, text) =>
      node.type === 'UpdateExpression'
        ? [replaced(node, swapText(source(node, text), { '++': '--', '--': '++' }))]
        : [],
  },
  { name: 'call', mutate: swapCall },
  { name: 'statement', mutate: dropStatement },
  { name: 'pattern', mutate: loosenPattern },
  {
    name: 'list',
    mutate: (node) =>
      node.type === 'ArrayExpression' && (node['elements'] as unknown[]).length > 0
        ? [replaced(node, '[]')]
        : [],
  },
];

function swapOperator(
  node: SyntaxNode,
  text: string,
  type: string,
  swapped: Readonly<Record<string, string>>,
): Replacement[] {
  const operator = String(node['operator']);
  const other = Object.hasOwn(swapped, operator) ? swapped[operator] : undefined;
  const [left, right] = [child(node, 'left'), child(node, 'right')];
  if (node.type !== type || other === undefined || left === null || right === null) return [];
  const start = text.indexOf(operator, left.end);
  if (start < 0 || start >= right.start) return [];
  return [{ start, end: start + operator.length, text: other }];
}

/** True for `+` and `+=` with a text on either side, at any depth. */
function joinsStrings(node: SyntaxNode): boolean {
  if (node['operator'] !== '+' && node['operator'] !== '+=') return false;
  return [child(node, 'left'), child(node, 'right')].some(
    (side) =>
      side !== null &&
      (side.type === 'TemplateLiteral' ||
        (side.type === 'Literal' && typeof side['value'] === 'string') ||
        joinsStrings(side)),
  );
}

/** Inverts `if (a)` and `a ? b : c`, but not loops, which would rarely end. */
function invertCondition(node: SyntaxNode, text: string): Replacement[] {
  if (node.type !== 'IfStatement' && node.type !== 'ConditionalExpression') return [];
  const condition = child(node, 'test');
  if (condition === null || isNot(condition)) return [];
  return [replaced(condition, `!(${source(condition, text)})`)];
}

/** Makes an `if` never hold, except for checks of invariants, which throw a plain Error. */
function dropBranch(node: SyntaxNode): Replacement[] {
  const condition = node.type === 'IfStatement' ? child(node, 'test') : null;
  if (condition === null) return [];
  return throwsPlainError(child(node, 'consequent')) ? [] : [replaced(condition, 'false')];
}

const BOOLEAN_OPERATORS = new Set([
  ...Object.keys(SWAPPED_COMPARISONS),
  '&&',
  '||',
  'in',
  'instanceof',
]);

/** Inverts a result that is a comparison or a combination of comparisons. */
function invertResult(node: SyntaxNode, text: string): Replacement[] {
  const result =
    node.type === 'ReturnStatement'
      ? child(node, 'argument')
      : node.type === 'ArrowFunctionExpression' && node['expression'] === true
        ? child(node, 'body')
        : null;
  if (result === null || !BOOLEAN_OPERATORS.has(String(result['operator']))) return [];
  return [replaced(result, `!(${source(result, text)})`)];
}

function offByOne(node: SyntaxNode): Replacement[] {
  const value = node.type === 'Literal' ? node['value'] : undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value > OFF_BY_ONE_MAX) return [];
  const neighbours = value === 0 ? [1] : [value + 1, value - 1];
  return neighbours.map((neighbour) => replaced(node, String(neighbour)));
}

function swapCall(node: SyntaxNode, text: string): Replacement[] {
  const callee = node.type === 'CallExpression' ? child(node, 'callee') : null;
  if (callee?.type !== 'MemberExpression') return [];
  const [object, property] = [child(callee, 'object'), child(callee, 'property')];
  const name = nameOf(callee);
  if (object === null || property === null || property.type !== 'Identifier') return [];
  if (DROPPED_CALLS.has(name)) return [{ start: object.end, end: node.end, text: '' }];
  const other = Object.hasOwn(SWAPPED_CALLS, name) ? SWAPPED_CALLS[name] : undefined;
  return other === undefined || text[property.start - 1] !== '.' ? [] : [replaced(property, other)];
}

/** An empty block and no `;`, which TypeScript refuses as the body of an `if`. */
const NO_STATEMENT = '{}';

const DROPPED_EXPRESSIONS = new Set([
  'AssignmentExpression',
  'AwaitExpression',
  'CallExpression',
  'UpdateExpression',
  'YieldExpression',
]);

/**
 * Drops calls, assignments, `throw` of errors for callers, `break`, `continue` and bare `return`.
 */
function dropStatement(node: SyntaxNode): Replacement[] {
  const expression = node.type === 'ExpressionStatement' ? child(node, 'expression') : null;
  const dropped =
    (expression !== null &&
      DROPPED_EXPRESSIONS.has(expression.type) &&
      child(expression, 'callee')?.type !== 'Super') ||
    (node.type === 'ThrowStatement' && !throwsPlainError(node)) ||
    node.type === 'BreakStatement' ||
    node.type === 'ContinueStatement' ||
    (node.type === 'ReturnStatement' && child(node, 'argument') === null);
  return dropped ? [replaced(node, NO_STATEMENT)] : [];
}

/** Drops one flag, `^` or `$` of a regular expression. */
function loosenPattern(node: SyntaxNode, text: string): Replacement[] {
  const regex = node['regex'] as { pattern: string; flags: string } | undefined;
  if (node.type !== 'Literal' || regex === undefined) return [];
  const { pattern, flags } = regex;
  const looser = [...flags].map((flag) => `/${pattern}/${flags.replace(flag, '')}`);
  if (pattern.startsWith('^')) looser.push(`/${pattern.slice(1) || '(?:)'}/${flags}`);
  if (/(?<!\\)\$$/.test(pattern)) looser.push(`/${pattern.slice(0, -1) || '(?:)'}/${flags}`);
  return looser
    .filter((each) => each !== source(node, text) && isPattern(each))
    .map((each) => replaced(node, each));
}

function isPattern(literal: string): boolean {
  const end = literal.lastIndexOf('/');
  try {
    new RegExp(literal.slice(1, end), literal.slice(end + 1));
    return true;
  } catch {
    return false;
  }
}

/** True for `throw new Error(...)`, alone or in a block, which reports a defect of the program. */
function throwsPlainError(statement: SyntaxNode | null): boolean {
  if (statement?.type === 'BlockStatement') {
    const body = statement['body'] as SyntaxNode[];
    return body.length === 1 && throwsPlainError(body[0] ?? null);
  }
  const thrown = statement?.type === 'ThrowStatement' ? child(statement, 'argument') : null;
  return thrown?.type === 'NewExpression' && nameOf(child(thrown, 'callee')) === 'Error';
}

function isNot(node: SyntaxNode): boolean {
  return node.type === 'UnaryExpression' && node['operator'] === '!';
}

function source(node: SyntaxNode | null, text: string): string {
  return node === null ? '' : text.slice(node.start, node.end);
}

function replaced(node: SyntaxNode, text: string): Replacement {
  return { start: node.start, end: node.end, text };
}

function swapText(text: string, swapped: Readonly<Record<string, string>>): string {
  for (const [from, to] of Object.entries(swapped)) {
    if (text.includes(from)) return text.replace(from, to);
  }
  return text;
}
