// Sends e-mails by SMTP with nodemailer, one connection for each, so that nothing is kept open between
// reports. nodemailer is loaded only if SMTP is configured.
import type { Transporter } from 'nodemailer';
import { withAbort } from '../../scheduling/abort.ts';

export interface Mail {
  /** Becomes the Message-ID: a repetition has the same. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly {
    readonly filename: string;
    readonly content: Buffer;
    readonly contentType: string;
  }[];
}

/** An attempt that will fail however often it is repeated. */
export class NeverDeliverable extends Error {}

/** Sends e-mails. */
export interface MailSender {
  /**
   * @param signal ends the attempt, with its connection
   * @throws NeverDeliverable if the server refuses it for good, or another error
   */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  close(): void;
}

const CONNECT_MS = 15_000;
const SILENCE_MS = 30_000;
/** Time for the whole of an attempt. */
const SEND_MS = 120_000;

/**
 * @param url smtp://user:password@host:port, or smtps:// for TLS from the first byte
 * @param from the sender, an address perhaps with a name
 */
export async function openMailSender(url: string, from: string): Promise<MailSender> {
  const { createTransport } = await import('nodemailer');
  const domain = /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost';
  const options = {
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
    // A message has no files and addresses but those given here.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
  const transport = createTransport({ url, ...options });
  return {
    async send({ id, to, ...mail }, signal) {
      const message = {
        ...{ ...mail, from, to, messageId: `<${id}@${domain}>`, encoding: 'utf-8' },
        // RFC 3834: no out-of-office replies.
        headers: { 'Auto-Submitted': 'auto-generated', 'Cardea-Delivery': id },
        attachments: [...mail.attachments],
      };
      await withAbort({ signal, timeoutMs: SEND_MS }, (attempt) =>
        sendWithin(transport, message, attempt.signal),
      );
    },
    close: () => transport.close(),
  };
}

async function sendWithin(
  transport: Transporter,
  message: Parameters<Transporter['sendMail']>[0],
  signal: AbortSignal,
): Promise<void> {
  try {
    await transport.sendMail({ ...message, signal });
  } catch (error) {
    const { name } = (signal.reason ?? {}) as { readonly name?: unknown };
    if (name === 'TimeoutError') throw new Error('The mail server took too long.');
    const { responseCode = 0, message: text } = error as Error & { responseCode?: number };
    // RFC 5321 section 4.2.1: 5yz is permanent. A refused login is mended by the operator.
    const isFinal = responseCode >= 500 && responseCode < 600 && !/auth/i.test(codeOf(error));
    throw isFinal ? new NeverDeliverable(text) : error;
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '');
}
