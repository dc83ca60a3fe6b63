// A network namespace for a process (Linux, root) with two links to this machine: one for its
// clients and one to its services. The latter can go down like a pulled cable: packets vanish
// without notice.
import { execFileSync } from 'node:child_process';

export interface Namespace {
  /** Prefix of a command to run in it. */
  readonly command: readonly string[];
  /** The process's address, for its clients. */
  readonly address: string;
  /** This machine's address, as the process reaches it. */
  readonly gateway: string;
  /** Sets the link between the process and `gateway`. */
  setLink(state: 'up' | 'down'): void;
  close(): void;
}

/** @returns the reason if namespaces are not available */
export function openNamespace(): Namespace | { readonly refused: string } {
  // Link names have at most 15 characters; the addresses are from a private range.
  const name = `cardea${process.pid}`;
  const net = `10.213.${process.pid % 256}`;
  const [front, back] = [`cf${process.pid}`, `cb${process.pid}`];
  const close = () => {
    process.removeListener('exit', close);
    // Deletes the links, too.
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

/** Creates a veth pair, one end here and one in the namespace, each with an address. */
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
