// The completion scripts of three shells. All completion is by words: which command, then its flags,
// then the values of a flag.
// Invariant: names and sentences are quoted for the shell, whatever they contain.
import type { CompletedCommand, CompletedFlag } from './command-tree.ts';

const HEAD = '# Written by cardea completion; write it anew after an update.';

/** All commands, the program first. */
function allOf(command: CompletedCommand): readonly CompletedCommand[] {
  return [command, ...command.commands.flatMap(allOf)];
}

/** A text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** For bash 3.2 and newer: the words of the line lead to a command, whose words are offered. */
export function bashScript(program: CompletedCommand): string {
  const commands = allOf(program);
  const steps = commands
    .filter(({ words }) => words.length > 0)
    .map(({ words }) => `      ${quoted(words.join(' '))}) path=$next ;;`);
  const offers = commands.map(({ words, commands: below, flags, argument }) => {
    const names = below.map((one) => one.words.at(-1) ?? '');
    const choices = typeof argument === 'string' ? [] : argument;
    const offered = [...names, ...choices, ...flags.map(({ name }) => name)].join(' ');
    const files = argument === 'file' ? ' files=1' : '';
    return `    ${quoted(words.join(' '))}) offered=${quoted(offered)}${files} ;;`;
  });
  return `${HEAD}
_cardea() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= next= word= offered= files=
  local i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    next=\${path:+$path }$word
    case $next in
${steps.join('\n')}
    esac
  done
  case $prev in
${valueCases(commands).join('\n')}
  esac
  case $path in
${offers.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$cur"))
  if [[ -n $files && $cur != -* ]]; then
    COMPREPLY+=($(compgen -f -- "$cur"))
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _cardea cardea
`;
}

/** The values of flags, by their names, which mean the same in every command. */
function valueCases(commands: readonly CompletedCommand[]): readonly string[] {
  const byName = new Map<string, CompletedFlag['value']>();
  for (const { flags } of commands) for (const { name, value } of flags) byName.set(name, value);
  return [...byName].flatMap(([name, value]) => {
    if (value === 'none') return [];
    if (value === 'text') return [`    ${name}) return ;;`];
    const generate =
      value === 'file' ? '-f' : value === 'directory' ? '-d' : `-W ${quoted(value.join(' '))}`;
    const names = value === 'file' || value === 'directory';
    const option = names ? ' compopt -o filenames 2>/dev/null;' : '';
    return [`    ${name}) COMPREPLY=($(compgen ${generate} -- "$cur"));${option} return ;;`];
  });
}

export function zshScript(program: CompletedCommand): string {
  return `#compdef cardea
${HEAD}
${allOf(program).map(zshFunction).join('\n')}
if [[ $funcstack[1] == _cardea ]]; then
  _cardea "$@"
else
  compdef _cardea cardea
fi
`;
}

function zshName(words: readonly string[]): string {
  return ['_cardea', ...words].join('_').replaceAll('-', '_');
}

function zshFunction({ words, commands, flags, argument }: CompletedCommand): string {
  const specs = flags.map(({ name, sentence, value }) => {
    const action = value === 'none' ? '' : `: :${zshAction(value)}`;
    return quoted(`${name}[${sentence.replace(/[[\]:\\]/g, '\\$&')}]${action}`);
  });
  if (commands.length === 0) {
    const rest = argument === 'none' ? [] : [quoted(`*: :${zshAction(argument)}`)];
    return `${zshName(words)}() {\n  _arguments ${[...specs, ...rest].join(' \\\n    ')}\n}`;
  }
  const described = commands.map((one) =>
    quoted(`${one.words.at(-1)}:${one.summary.replaceAll(':', '\\:')}`),
  );
  const cases = commands.map((one) => `        ${one.words.at(-1)}) ${zshName(one.words)} ;;`);
  return `${zshName(words)}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C ${[...specs, "'1: :->command'", "'*:: :->rest'"].join(' \\\n    ')}
  case $state in
    command)
      local -a commands=(${described.join(' ')})
      _describe command commands ;;
    rest)
      case $line[1] in
${cases.join('\n')}
      esac ;;
  esac
}`;
}

function zshAction(value: CompletedFlag['value']): string {
  if (value === 'file') return '_files';
  if (value === 'directory') return '_files -/';
  return typeof value === 'string' ? '' : `(${value.join(' ')})`;
}

export function fishScript(program: CompletedCommand): string {
  return `${HEAD}
complete -c cardea -f
${allOf(program).flatMap(fishLines).join('\n')}
`;
}

function fishLines({ words, commands, flags, argument }: CompletedCommand): readonly string[] {
  const names = commands.map((one) => one.words.at(-1) ?? '').join(' ');
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const notBelow = commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names}`];
  const condition = [...seen, ...notBelow].join('; and ');
  const line = (rest: string) => `complete -c cardea -n ${quoted(condition)} ${rest}`;
  return [
    ...commands.map((one) => line(`-a ${one.words.at(-1)} -d ${quoted(one.summary)}`)),
    ...flags.map(({ name, sentence, value }) =>
      line(`-l ${name.slice(2)} -d ${quoted(sentence)}${fishValue(value)}`),
    ),
    ...(argument === 'file' ? [line('-F')] : []),
    ...(typeof argument === 'string' ? [] : [line(`-a ${quoted(argument.join(' '))}`)]),
  ];
}

function fishValue(value: CompletedFlag['value']): string {
  if (value === 'none') return '';
  if (value === 'file') return ' -r -F';
  if (value === 'directory') return " -x -a '(__fish_complete_directories)'";
  return value === 'text' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
}
