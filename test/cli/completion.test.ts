// cardea completion: the script of bash is sourced by a bash and asked, those of the other shells are checked by them
// where they are installed, and as text otherwise.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-completion-'));
after(() => rmSync(directory, { recursive: true, force: true }));

async function scriptOf(shell: string): Promise<string> {
  const line = commandLine(['completion', shell]);
  assert.equal(await line.ended, 0, line.err());
  return line.out();
}

describe('completions of bash', () => {
  const CASES: readonly (readonly [
    line: string,
    offered: readonly string[],
    not: readonly string[],
  ])[] = [
    ['cardea se', ['serve', 'search'], ['demo', '--help']],
    ['cardea pat ', ['create', 'list', 'delete', '--help'], ['serve']],
    ['cardea pat cr', ['create'], ['list']],
    ['cardea pat create --na', ['--name'], ['--owner']],
    ['cardea search --col', ['--columns'], ['--csv']],
    ['cardea search --index ide', ['identities'], ['roles']],
    ['cardea search --columns ', [], ['--csv']],
    ['cardea search person --li', ['--limit'], []],
    ['cardea completion ', ['bash', 'zsh', 'fish'], ['serve']],
    ['cardea import package.js', ['package.json'], []],
    ['cardea doctor --data-dir sr', ['src'], ['scripts']],
  ];
  test('offer commands, flags, values and files', async () => {
    const script = await scriptOf('bash');
    for (const [line, offered, not] of CASES) {
      const words = line.split(' ');
      const asked = [
        script,
        `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`,
        `COMP_CWORD=${words.length - 1}`,
        '_cardea',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of bash
        'printf "%s\\n" "${COMPREPLY[@]}"',
      ].join('\n');
      const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', asked], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
      assert.equal(stderr, '', line);
      const replies = stdout.split('\n');
      for (const word of offered) assert.ok(replies.includes(word), `${line}: ${stdout}`);
      for (const word of not) assert.ok(!replies.includes(word), `${line}: ${stdout}`);
    }
  });
});

describe('completions of', () => {
  for (const [shell, ...check] of [
    ['zsh', '-n'],
    ['fish', '--no-execute'],
  ] as const) {
    test(`${shell} name every command, and parse`, async () => {
      const script = await scriptOf(shell);
      for (const name of ['search', 'migrate-store', 'sign-out', 'all-elements']) {
        assert.ok(script.includes(name), name);
      }
      const file = join(directory, shell);
      writeFileSync(file, script);
      const { error, status, stderr } = spawnSync(shell, [...check, file], { encoding: 'utf8' });
      // Not installed: the text above is all that can be checked.
      if (error !== undefined) assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT');
      else assert.equal(status, 0, stderr);
    });
  }
});

test('an unknown shell is refused with those that are known', async () => {
  const line = commandLine(['completion', 'csh']);
  assert.equal(await line.ended, 2);
  assert.match(line.err(), /bash, zsh, fish/);
});
