// What runs for each request makes no generator functions: each is a function of a module or a method of a class, of which there is
// one. V8 gives each function object of a generator a hidden class of its own when it is first called, in old memory, where it keeps
// all that the function refers to until the next collection of old garbage. Found in the text of the sources, by indentation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceFaults } from './source-faults.ts';

/** The command line runs once. */
const ONCE = /^src\/cli\//;
const GENERATOR =
  /^(\s*)(.*\bfunction\*|((public|private|static|override|async) )*\*(#?\w+|\[[\w.]+\])[(<])/;
const CLASS = /^(export )?(default )?(abstract )?class /;

/** The lines of generators that are made anew with each call of the function around them. */
function madeAnew(text: string): string[] {
  const lines = text.split('\n');
  const anew = lines.filter((line, at) => {
    const indent = GENERATOR.exec(line)?.[1]?.length ?? 0;
    if (indent === 0) return false;
    const around = lines
      .slice(0, at)
      .findLast((one) => one.trim() !== '' && indentOf(one) < indent);
    return around === undefined || !CLASS.test(around.trim());
  });
  return anew.map((line) => line.trim());
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

test('no generator function is made inside of another function', () => {
  assert.deepEqual(sourceFaults(ONCE, madeAnew), []);
});

test('generators made anew are recognised', () => {
  const anew = [
    'function f() {\n  return function* (view) {\n    yield view;\n  };\n}',
    'function f() {\n  return {\n    *scorer(view) {\n      yield view;\n    },\n  };\n}',
    'function f() {\n  async function* chunks() {\n    yield 1;\n  }\n}',
    'function f() {\n  run(1, function* <T>(view: T) {\n    yield view;\n  });\n}',
  ];
  for (const text of anew) assert.equal(madeAnew(text).length, 1, text);
  const once = [
    'export function* f() {\n  yield 1;\n}',
    'export class A {\n  *steps() {\n    yield 1;\n  }\n\n  async *#chunks(): AsyncGenerator<number> {\n    yield 1;\n  }\n}',
    'class A implements Iterable<number> {\n  *[Symbol.iterator](): Iterator<number> {\n    yield 1;\n  }\n}',
    '/**\n * A comment.\n */\nconst product = 2\n  *three;',
  ];
  for (const text of once) assert.deepEqual(madeAnew(text), [], text);
});
