// The table of docs/decisions/programs.md is that of the conversations in test/programs/. UPDATE_GOLDEN=1 writes it anew.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Call, Program } from '../programs/conversation.ts';
import { PROGRAMS } from '../programs/programs.ts';

const PAGE = 'docs/decisions/programs.md';
const HEAD = '| Program | Requests in vain |\n|---|---|\n';

/** What a call is about: `accounts`, `search/events`. */
function areaOf({ request }: Call): string {
  const path = (request.split(' ')[1] ?? '').replace(/\?.*$/, '').replace(/\/v1$/, '');
  const [first = '', second = ''] = path
    .replace(/^\/(v\d+|beta|api)(?=\/)/, '')
    .slice(1)
    .split('/');
  const isPlain = second === '' || /^(\{|some-|v1$)/.test(second);
  return first === 'search' && !isPlain ? `${first}/${second}` : first;
}

const areas = (calls: readonly Call[]): string => {
  const names = calls.map(areaOf).filter((name) => name !== 'oauth');
  return [...new Set(names)].map((name) => `\`${name}\``).join(', ');
};

function rowOf({ name, readIn, calls, pointedBy }: Program): string {
  const lacking = areas(calls.filter(({ lacks }) => lacks !== undefined));
  const [owner = ''] = /^[\w.-]+(?=\/[\w.-]+$)/.exec(readIn) ?? [];
  const where = owner === '' || name.includes(owner) ? '' : ` (${owner})`;
  // A base URL is the rule.
  const takes = pointedBy.replace(/^(?:API host|URL|base URL) (?:in|as) [^;]*(?:; )?/, '');
  return `| ${name}${where}${takes === '' ? '' : `: ${takes}`} | ${lacking} |\n`;
}

test('the table of programs is that of the conversations', () => {
  const page = readFileSync(PAGE, 'utf8');
  const at = page.indexOf(HEAD);
  assert.ok(at >= 0, 'there is no table');
  const [, old = ''] = /^((?:\|.*\n)*)/.exec(page.slice(at + HEAD.length)) ?? [];
  const rows = PROGRAMS.map(rowOf).join('');
  if (process.env['UPDATE_GOLDEN'] === '1')
    writeFileSync(PAGE, page.replace(HEAD + old, HEAD + rows));
  else assert.equal(old, rows);
});

test('no two programs have the same name, and each says where it was read', () => {
  const names = PROGRAMS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, readIn, pointedBy, calls } of PROGRAMS) {
    assert.ok(readIn !== '' && pointedBy !== '' && calls.length > 1, name);
  }
});
