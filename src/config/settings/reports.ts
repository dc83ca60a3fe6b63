// Settings of saved searches: their runs and deliveries.
import {
  byteCount,
  InvalidValue,
  type Parser,
  webAddress,
  wholeNumber,
  zoneName,
} from './config-values.ts';
import { NUMBER, setting } from './setting.ts';

/** A time zone by its IANA name: an offset has no changes of the clocks. */
const ianaZone: Parser<string> = (text) => {
  if (/^[A-Za-z]{2}/.test(text)) return zoneName(text);
  throw new InvalidValue('must be the name of a time zone such as Europe/Berlin');
};

/** smtp:// or smtps:// with a host. */
const mailServer: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '') {
    return text;
  }
  throw new InvalidValue('must be a URL such as smtp://mail.example.org:587 or smtps://…');
};

/** An address, perhaps with a name. */
const mailSender: Parser<string> = (text) => {
  if (/^(?:[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>,]+@[^\s@<>,]+)$/.test(text)) return text;
  throw new InvalidValue('must be an address such as Cardea <cardea@example.org>');
};

const SECRET_CHARACTERS_MIN = 16;

/** A secret that is not guessed. */
const sharedSecret: Parser<string> = (text) => {
  if (text.length >= SECRET_CHARACTERS_MIN) return text;
  throw new InvalidValue(`must have at least ${SECRET_CHARACTERS_MIN} characters`);
};

/** In the order of help texts. */
export const REPORTS = {
  reportTimeZone: setting(
    'report-time-zone',
    'UTC',
    'Time zone of scheduled searches that name none: an IANA name.',
    ianaZone,
    { value: 'zone' },
  ),
  reportRows: setting(
    'report-rows',
    50_000,
    'Most rows of the results of one run of a saved search.',
    wholeNumber(1, 10_000_000),
    NUMBER,
  ),
  reportBytes: setting(
    'report-bytes',
    '16MiB',
    'Largest results of one run of a saved search, as CSV.',
    byteCount(1024, 1024 ** 3),
    { value: 'bytes' },
  ),
  reportSeconds: setting(
    'report-seconds',
    600,
    'Time that one run of a saved search may take.',
    wholeNumber(1, 86_400),
    { value: 'seconds' },
  ),
  reportRunsKept: setting(
    'report-runs-kept',
    10,
    'Runs of each saved search that are kept with their results and deliveries.',
    wholeNumber(1, 1_000),
    NUMBER,
  ),
  smtpUrl: setting(
    'smtp-url',
    null,
    'Mail server for results: smtp://user:password@mail.example.org:587, or smtps:// for TLS from the start.',
    mailServer,
    { value: 'url', otherwise: 'no e-mail' },
  ),
  smtpFrom: setting(
    'smtp-from',
    null,
    'Sender of these e-mails, such as Cardea <cardea@example.org>.',
    mailSender,
    { value: 'address', otherwise: 'needed with CARDEA_SMTP_URL' },
  ),
  webhookUrl: setting(
    'webhook-url',
    null,
    'Address to which the end of each run of a saved search is posted, signed.',
    webAddress,
    { value: 'url', otherwise: 'no webhook' },
  ),
  webhookSecret: setting(
    'webhook-secret',
    null,
    'Secret that signs these posts: at least 16 characters.',
    sharedSecret,
    { value: 'text', otherwise: 'needed with CARDEA_WEBHOOK_URL' },
  ),
};
