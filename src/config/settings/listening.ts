// Settings of the address that a server listens on.
import { someText, webAddress, wholeNumber } from './config-values.ts';
import { NUMBER, setting } from './setting.ts';

/** In the order of help texts. */
export const LISTENING = {
  port: setting(
    'port',
    8080,
    'Port to listen on; 0 picks a free one.',
    wholeNumber(0, 65_535),
    NUMBER,
  ),
  host: setting(
    'host',
    '127.0.0.1',
    'Address to listen on; 0.0.0.0 for all.',
    someText('an address'),
    {
      value: 'address',
    },
  ),
  threads: setting(
    'threads',
    null,
    'Threads that answer requests; 1 with the powers for tests.',
    wholeNumber(1, 254),
    { ...NUMBER, otherwise: 'the cores that the process may use' },
  ),
  baseUrl: setting('base-url', null, 'Public address of the service.', webAddress, {
    value: 'url',
    otherwise: 'the address it listens on',
  }),
};
