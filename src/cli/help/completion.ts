// cardea completion: prints the completions of a shell, generated from the commands and their flags.
import { Argument, type Command } from 'commander';
import { newCommand } from '../command-line.ts';
import { type Context, UsageError } from '../context.ts';
import { commandTree } from './command-tree.ts';
import { bashScript, fishScript, zshScript } from './shell-scripts.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function completionCommand({ terminal }: Context): Command {
  const command = newCommand('completion', 'Print the completions of a shell');
  const shell = new Argument('<shell>', 'The shell').choices(Object.keys(SCRIPTS));
  return command.addArgument(shell).action((name: keyof typeof SCRIPTS, _flags, self: Command) => {
    const program = self.parent;
    if (program === null) throw new UsageError(['completion needs the commands around it.']);
    terminal.raw.out(SCRIPTS[name](commandTree(program)));
  });
}
