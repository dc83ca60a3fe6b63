// The flag `--seed` of the commands that generate a company.
import type { Command } from 'commander';
import { SEED_DEFAULT, SEED_MOST } from '../../demo/sizes.ts';
import { addFlag, integer } from '../common/command-line.ts';

export function addSeedFlag(command: Command): void {
  addFlag(
    command,
    '--seed <number>',
    `Seed of the random company [default: ${SEED_DEFAULT}]`,
    integer(0, SEED_MOST),
  );
}
