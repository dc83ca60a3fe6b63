// Checks that docs/openapi.yaml, which is packed and served, is what its source says, that Redocly's linter finds nothing in it by
// the rules of redocly.yaml, that it keeps our own (openapi-rules.ts), and that URLs in it write a blank as %20. Ends without output if there is nothing to report.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { currentOpenapiFile, OPENAPI_FILE } from './openapi-document.ts';
import { brokenRules } from './openapi-rules.ts';

const LINTER = join('node_modules', '@redocly', 'cli', 'bin', 'cli.js');
/** Reports no use, and looks for no newer version. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' };
/** A parameter of a URL whose value has a + for a blank. */
const PLUS = /[?&][\w-]+=[^\s`'"&]*\+/;

const text = readFileSync(OPENAPI_FILE, 'utf8');
const faults: string[] = [];
if (text !== currentOpenapiFile()) {
  faults.push(
    `${OPENAPI_FILE} is not what its source says: run node dist/scripts/generate-openapi.js\n`,
  );
}
for (const [at, line] of text.split('\n').entries()) {
  if (PLUS.test(line)) faults.push(`${OPENAPI_FILE}:${at + 1}: write a blank in a URL as %20\n`);
}
faults.push(...brokenRules(parse(text)).map((fault) => `${OPENAPI_FILE}: ${fault}\n`));
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [LINTER, 'lint', OPENAPI_FILE, '--config', 'redocly.yaml'],
  { env: { ...process.env, ...OFFLINE }, encoding: 'utf8' },
);
if (status !== 0) faults.push(stdout + stderr);
process.stderr.write(faults.join(''));
process.exitCode = faults.length === 0 ? 0 : 1;
