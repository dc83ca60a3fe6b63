// Parsers of the settings of saved searches: zone, mail server, sender, secret.
import { InvalidValue, type Parser } from './config-values.ts';

/** A time zone by its IANA name. */
export const ianaZone: Parser<string> = (text) => {
  // An offset has no changes of the clocks.
  if (/^[A-Za-z]/.test(text) && isZone(text)) return text;
  throw new InvalidValue('must be the name of a time zone such as Europe/Berlin');
};

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** smtp:// or smtps:// with a host. */
export const mailServer: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '') {
    return text;
  }
  throw new InvalidValue('must be a URL such as smtp://mail.example.org:587 or smtps://…');
};

/** An address, perhaps with a name. */
export const mailSender: Parser<string> = (text) => {
  if (/^(?:[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>,]+@[^\s@<>,]+)$/.test(text)) return text;
  throw new InvalidValue('must be an address such as Cardea <cardea@example.org>');
};

const LEAST_SECRET = 16;

/** A secret that is not guessed. */
export const sharedSecret: Parser<string> = (text) => {
  if (text.length >= LEAST_SECRET) return text;
  throw new InvalidValue(`must have at least ${LEAST_SECRET} characters`);
};
