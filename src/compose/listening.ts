// Listens at the addresses of the settings, and names the setting where that fails.
import { ConfigError } from '../config/config.ts';

/** An address, and the flag that sets its port. */
export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
  readonly flag: '--port' | '--metrics';
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'it is no address of this machine',
  EACCES: 'this user may not listen on that port: take one from 1024 on',
  ENOTFOUND: 'no address is known for that name',
  EAI_AGAIN: 'no address can be found for that name now',
};

/** Starts to listen. @throws ConfigError that says what is wrong with the address */
export async function listenAt<T>(
  { host, port, flag }: ListeningAddress,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new ConfigError([
        `Another program listens on ${host}:${port}: stop it, or choose another port with ${flag}.`,
      ]);
    }
    if (!Object.hasOwn(REASONS, code)) throw error;
    const flags = flag === '--port' ? '--host and --port' : flag;
    throw new ConfigError([`Cannot listen on ${host}:${port} (${flags}): ${REASONS[code]}.`]);
  }
}
