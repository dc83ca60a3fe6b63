// No source holds state of its own: what changes belongs to an object that its users are given, so that two servers or engines in
// one process share nothing. Found in the text of the sources: variables that are assigned, collections that are changed after the
// module was loaded, and instances of classes that are not on the list of those without state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceFaults } from './source-faults.ts';

/** Their instances never change, or are changed only while the module is loaded. */
const STATELESS = new Set([
  'TextEncoder',
  'TextDecoder',
  'URL',
  'Error',
  'RegExp',
  'KeyedPart',
  'DerivedPart',
  'Projection',
  'Kysely',
]);
/** Checked for changes instead. */
const COLLECTION =
  /^(Map|Set|WeakMap|WeakSet|BlockList|(Big)?(Ui|I)nt\w*Array|Float\d+Array|Array|Buffer)$/;
/** The start of a process: it ends with it. */
const PROCESS = /^src\/cli\/main\.ts$/;
const CHANGES =
  'set|add|push|delete|clear|pop|shift|unshift|splice|fill|copyWithin|sort|reverse|append|addSubnet';

/** Why the source holds state, by line; empty if it does not. */
function stateIn(text: string): string[] {
  const faults: string[] = [];
  for (const [line] of text.matchAll(/^(export )?(let|var) .*/gm)) faults.push(line);
  for (const [line, , name = '', type = '', value = ''] of text.matchAll(
    /^(export )?const (\w+)(: [^=]+?)? = (.*)/gm,
  )) {
    const instance = /^new (\w+)/.exec(value)?.[1];
    if (instance !== undefined && !STATELESS.has(instance) && !COLLECTION.test(instance)) {
      faults.push(line);
    }
    if (/^(new|create|open)[A-Z]\w*\(/.test(value)) faults.push(line);
    if (/^: Weak/.test(type) || instance === 'WeakMap' || instance === 'WeakSet') faults.push(line);
    const changed = new RegExp(
      `^\\s.*(\\b${name}\\.(${CHANGES})\\(|\\b${name}(\\[[^\\]]*\\]|\\.\\w+)!? ?([-+|&*]|\\?\\?)?=[^=>])`,
      'm',
    );
    const where = changed.exec(text)?.[0];
    if (where !== undefined) faults.push(`${line} … ${where.trim()}`);
  }
  return faults;
}

test('no source has variables or collections that change after it is loaded', () => {
  assert.deepEqual(sourceFaults(PROCESS, stateIn), []);
});

test('state is recognised', () => {
  const holding = [
    'let last = 0;',
    'const cache = new Map<string, number>();\nfunction add() {\n  cache.set("a", 1);\n}',
    'const seen = new WeakMap<object, number>();',
    'export const rows: number[] = [];\nfunction add() {\n  rows[0] = 1;\n}',
    'const POOL = new ServerPool(3);',
    'const SCAN = newScan();',
  ];
  for (const text of holding) assert.equal(stateIn(text).length, 1, text);
  const free = [
    "const NAMES = new Set(['a']);\nfunction has() {\n  return NAMES.has('a');\n}",
    'const KIND = new Uint8Array(9);\nfor (const c of "ab") KIND[c.charCodeAt(0)] = 1;',
    'const encoder = new TextEncoder();',
    'function f() {\n  let local = 0;\n  return local;\n}',
  ];
  for (const text of free) assert.deepEqual(stateIn(text), [], text);
});
