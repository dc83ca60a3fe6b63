// A network of its own for a process (Linux, root): a namespace with two links to this machine, one that clients come by
// and one to what is below. The latter can go down as a cable is pulled: packets vanish, and nobody is told.
import { execFileSync } from 'node:child_process';

export interface Namespace {
  /** What a command in it begins with. */
  readonly command: readonly string[];
  /** The process's address, for its clients. */
  readonly address: string;
  /** This machine's address, as the process reaches it. */
  readonly gateway: string;
  /** Between the process and `gateway`. */
  setLink(state: 'up' | 'down'): void;
  close(): void;
}

/** @returns null with the reason where this machine has no namespaces for us */
export function openNamespace(): Namespace | { readonly refused: string } {
  // Names of links have 15 characters at most, and addresses are of a range that is nobody's.
  const name = `cardea${process.pid}`;
  const net = `10.213.${process.pid % 256}`;
  const [front, back] = [`cf${process.pid}`, `cb${process.pid}`];
  const close = () => {
    process.removeListener('exit', close);
    // The links go with it.
    ip('netns', 'delete', name);
  };
  try {
    ip('netns', 'add', name);
  } catch (error) {
    return { refused: error instanceof Error ? error.message.trim() : String(error) };
  }
  process.once('exit', close);
  try {
    ip('-n', name, 'link', 'set', 'lo', 'up');
    layLink(name, front, `${net}.1`, `${net}.2`);
    layLink(name, back, `${net}.5`, `${net}.6`);
    ip('netns', 'exec', name, 'true');
  } catch (error) {
    close();
    return { refused: error instanceof Error ? error.message.trim() : String(error) };
  }
  return {
    command: ['ip', 'netns', 'exec', name],
    address: `${net}.2`,
    gateway: `${net}.5`,
    setLink: (state) => ip('link', 'set', back, state),
    close,
  };
}

/** A pair of ends, one here and one there, with an address each. */
function layLink(namespace: string, link: string, here: string, there: string): void {
  const end = `${link}n`;
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', end, 'netns', namespace);
  ip('address', 'add', `${here}/30`, 'dev', link);
  ip('link', 'set', link, 'up');
  ip('-n', namespace, 'address', 'add', `${there}/30`, 'dev', end);
  ip('-n', namespace, 'link', 'set', end, 'up');
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
