// docs/testing.md says what the powers for tests are.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ADVICE_RULES } from '../../src/testing/powers/advisor.ts';
import { readFaultPlan } from '../../src/testing/powers/fault-rules.ts';

const page = readFileSync('docs/testing.md', 'utf8');

/** The code in the first cells of the table below a heading. */
function firstCells(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
}

test('lists the rules of the advisor', () => {
  assert.deepEqual(firstCells('The journal and the advisor'), ADVICE_RULES);
});

test('shows faults that are accepted', () => {
  const section = page.split('\n## Faults\n')[1] ?? '';
  const [, rules = ''] = /```json\n(.*?)```/s.exec(section) ?? [];
  assert.equal(readFaultPlan(JSON.parse(rules)).faults.length, 3);
});

test('names the routes of the OpenAPI document', () => {
  const document = readFileSync('docs/openapi.yaml', 'utf8');
  for (const route of firstCells('Powers for tests over HTTP')) {
    assert.ok(document.includes(`\n  ${route}:\n`), route);
  }
});

for (const file of [
  'company.yaml',
  'node-test/leaver-report.test.ts',
  'vitest/leaver-report.test.ts',
  'pytest/conftest.py',
  'pytest/test_leaver_report.py',
]) {
  test(`shows examples/${file} as it is`, () => {
    assert.ok(page.includes(`\n${readFileSync(`examples/${file}`, 'utf8')}\`\`\`\n`));
  });
}

test('the example for Jest differs from that for Vitest only in its imports', () => {
  const lines = (name: string) =>
    readFileSync(`examples/${name}/leaver-report.test.ts`, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('import '));
  assert.deepEqual(lines('jest'), lines('vitest'));
});
