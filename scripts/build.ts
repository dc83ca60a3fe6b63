// Builds what comes after tsc: the console, the documentation, the guide and the bundle. None needs what another one
// writes, so all run at once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PARTS: readonly (readonly string[])[] = [
  ['node_modules/vite/bin/vite.js', 'build', 'console', '--logLevel', 'warn'],
  ['dist/scripts/bundle.js'],
  ['dist/scripts/build-documentation.js'],
  ['dist/scripts/build-guide.js'],
];

const codes = await Promise.all(
  PARTS.map(async (part) => {
    const [code] = await once(spawn(process.execPath, part, { stdio: 'inherit' }), 'exit');
    return code as number | null;
  }),
);
process.exit(codes.every((code) => code === 0) ? 0 : 1);
