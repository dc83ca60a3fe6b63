// A real SMTP server on a free port of the loopback address that keeps what it receives.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers by name in lower case, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  /** The text of the message and what follows it, decoded from quoted-printable. */
  readonly text: string;
}

export interface MailServer {
  /** With user and password. */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Answers to the next messages, such as `451 try later`; then it accepts again. */
  refuse(...answers: string[]): void;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const refusals: string[] = [];
  const server = new SMTPServer({
    authOptional: false,
    // The test has no certificate.
    ...{ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, logger: false },
    onAuth({ username, password }, _session, callback) {
      if (username === 'cardea' && password === 'secret') callback(null, { user: username });
      else callback(new Error('Invalid login'));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const refusal = refusals.shift();
        if (refusal === undefined) {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          mails.push({
            ...{ from, to: rcptTo.map(({ address }) => address) },
            ...parsed(Buffer.concat(chunks).toString('latin1')),
          });
          callback();
          return;
        }
        const [code = '', text] = refusal.split(/ (.*)/);
        callback(Object.assign(new Error(text), { responseCode: Number(code) }));
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://cardea:secret@127.0.0.1:${port}`,
    mails,
    refuse: (...answers) => refusals.push(...answers),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function parsed(message: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = message.indexOf('\r\n\r\n');
  const lines = message
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
      return [name.toLowerCase(), value];
    }),
  );
  const text = message
    .slice(end + 4)
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return { headers, text: Buffer.from(text, 'latin1').toString('utf8') };
}
