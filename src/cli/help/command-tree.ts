// The commands of the program as data, for completions.
import type { Command } from 'commander';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';

export interface CompletedFlag {
  /** With its dashes. */
  readonly name: string;
  readonly sentence: string;
  /** `none`: it has no value. */
  readonly value: 'none' | 'text' | 'file' | 'directory' | readonly string[];
}

export interface CompletedCommand {
  /** The words of the command line, without `cardea`; empty for the program itself. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly commands: readonly CompletedCommand[];
  readonly flags: readonly CompletedFlag[];
  /** What its first argument completes to. */
  readonly argument: 'none' | 'file' | readonly string[];
}

export function commandTree(command: Command, words: readonly string[] = []): CompletedCommand {
  const [argument] = command.registeredArguments;
  return {
    words,
    summary: command.summary() || command.description(),
    commands: command.commands.map((one) => commandTree(one, [...words, one.name()])),
    flags: command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long, flags, description, required, optional }) => {
        if (!long) return [];
        const value = required || optional ? valueKindOf(long, flags) : 'none';
        return [{ name: long, sentence: sentenceOf(description), value }];
      }),
    argument:
      argument === undefined
        ? 'none'
        : (argument.argChoices ?? (/file|director/.test(argument.name()) ? 'file' : 'none')),
  };
}

/** What the value of a flag is, by its name in the help: `--tls-cert <file>`. */
function valueKindOf(long: string, flags: string): CompletedFlag['value'] {
  const [, name = ''] = /[<[]([^>\]]+)[>\]]/.exec(flags) ?? [];
  if (long === '--index') return INDEX_NAMES;
  if (/^director|^path$/.test(name) || long === '--data-dir') return 'directory';
  if (/file/.test(name)) return 'file';
  return /^[a-z-]+(\|[a-z-]+)+$/.test(name) && !name.includes('id|') ? name.split('|') : 'text';
}

/** The first sentence, without the default. */
function sentenceOf(description: string): string {
  return description.replace(/ \[[^\]]*\]$/, '').replace(/[.;:].*$/, '');
}
