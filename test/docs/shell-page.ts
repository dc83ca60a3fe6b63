// The commands of a page in a real shell, as a reader pastes them: one shell runs the ```sh blocks from the first to the
// last, and nothing is substituted. Lines that begin with `# ` below a command, and those of a block ```json output or
// the like after it, claim what its output holds.
// Invariant: a variable that nothing has set ends the shell, so no page relies on one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ShellCommand {
  /** One-based line of the page. */
  readonly line: number;
  /** As it stands, continuation lines included. */
  readonly text: string;
  readonly claims: readonly string[];
}

/** All commands of a page, in order. A line that is indented, or follows a backslash, continues its command. */
export function shellCommandsOf(page: string): ShellCommand[] {
  const commands: { line: number; text: string; claims: string[] }[] = [];
  let isInside = false;
  let isOutput = false;
  for (const [at, line] of page.split('\n').entries()) {
    const last = commands.at(-1);
    if (line.startsWith('```')) [isInside, isOutput] = [line === '```sh', line.endsWith(' output')];
    else if (isOutput) last?.claims.push(line.trim());
    else if (!isInside) continue;
    else if (line.startsWith('# ')) last?.claims.push(line.slice(2));
    else if (last !== undefined && (/^\s/.test(line) || last.text.endsWith('\\'))) {
      last.text += `\n${line}`;
    } else commands.push({ line: at + 1, text: line, claims: [] });
  }
  return commands;
}

/** A shell that keeps its variables from one command to the next. */
export class Shell {
  readonly #bash: ChildProcess;
  #out = '';
  #err = '';
  /** Called after each piece of output, and at the end. */
  #wake = () => {};

  /** @param env beside that of the test */
  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    this.#bash = spawn('bash', ['--noprofile', '--norc', '-u'], {
      cwd,
      env: { ...process.env, ...env },
    });
    this.#bash.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text;
      this.#wake();
    });
    this.#bash.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#err += text;
    });
    this.#bash.on('exit', () => this.#wake());
  }

  /**
   * Runs one command to its end.
   * @returns its exit code, and what it printed to either output
   * @throws Error if the shell ends, as at a variable that is not set
   */
  async run(command: string): Promise<{ readonly code: number; readonly out: string }> {
    [this.#out, this.#err] = ['', ''];
    this.#bash.stdin?.write(`{ ${command}\n} < /dev/null\nprintf '\\nended %s\\n' $?\n`);
    for (;;) {
      const [, out = '', code] = /^(.*)\nended (\d+)\n$/s.exec(this.#out) ?? [];
      if (code !== undefined) return { code: Number(code), out: out + this.#err };
      if (this.#bash.exitCode !== null) throw new Error(`${command}: ${this.#err}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async end(): Promise<void> {
    if (this.#bash.exitCode !== null) return;
    const ended = once(this.#bash, 'exit');
    this.#bash.stdin?.end();
    await ended;
  }
}
