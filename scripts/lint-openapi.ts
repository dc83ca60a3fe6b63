// Checks the OpenAPI document that is served with Redocly's linter, by the rules of redocly.yaml. Ends with its exit code, which
// is 0, without output, if there is nothing to report.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asYaml, openapiDocument } from './openapi-document.ts';

const LINTER = join('node_modules', '@redocly', 'cli', 'bin', 'cli.js');
/** Reports no use, and looks for no newer version. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' };

const folder = mkdtempSync(join(tmpdir(), 'cardea-openapi-'));
try {
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, asYaml(openapiDocument(readFileSync(join('docs', 'openapi.source.yaml'), 'utf8'))));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [LINTER, 'lint', file, '--config', 'redocly.yaml'],
    { env: { ...process.env, ...OFFLINE }, encoding: 'utf8' },
  );
  if (status !== 0) process.stderr.write(stdout + stderr);
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
