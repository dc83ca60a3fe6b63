// docs/testing.md says what the powers for tests are.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkFixture, parseFixture } from '../../src/testing/fixture/fixture.ts';
import { fixtureRecords } from '../../src/testing/fixture/fixture-records.ts';
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
  const section = page.split('\n## Powers for tests over HTTP\n')[1]?.split('\n## ')[0] ?? '';
  const routes = new Set(
    [...section.matchAll(/`(\/admin\/v1\/[^`]+)`/g)].map(([, route = '']) => route),
  );
  assert.equal(routes.size, 8);
  for (const route of routes) assert.ok(document.includes(`\n  ${route}:\n`), route);
});

test('shows a fixture that is accepted', () => {
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  const schema = JSON.parse(readFileSync('docs/fixture.schema.json', 'utf8'));
  const { documents } = fixtureRecords(checkFixture(parseFixture(text), schema), '2026-01-15');
  assert.ok(documents.length >= 5);
});

test('names examples that are there', () => {
  const names = [...page.matchAll(/`((?:ci|node-test|pytest)\/[\w./-]+)`/g)];
  assert.ok(names.length >= 6);
  for (const [, name = ''] of names) assert.ok(existsSync(`examples/${name}`), name);
});

test('the example for Jest differs from that for Vitest only in its imports', () => {
  const lines = (name: string) =>
    readFileSync(`examples/${name}/leaver-report.test.ts`, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('import '));
  assert.deepEqual(lines('jest'), lines('vitest'));
});
