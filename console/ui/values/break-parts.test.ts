import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakParts } from './break-parts.ts';

const check = (text: string, parts: readonly string[]) =>
  test(`breaks ${text} into ${parts.length}`, () => assert.deepEqual(breakParts(text), parts));

check('Payroll Clerk', ['Payroll Clerk']);
check('a@b.example', ['a@b.example']);
check('jadwiga.novak@brightwater.example', ['jadwiga.novak@', 'brightwater.example']);
check('CN=Legal Files,OU=Groups,DC=example', ['CN=Legal Files,', 'OU=Groups,', 'DC=example']);
check('LEGAL_FILES_EDIT_ALL', ['LEGAL_', 'FILES_', 'EDIT_', 'ALL']);
check('https://brightwater.example/a', ['https://', 'brightwater.example/', 'a']);
