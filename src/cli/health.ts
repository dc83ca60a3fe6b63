// cardea health: checks the server on this machine, for the health checks of containers and service
// managers.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:tls';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { addSettings, newCommand, readSettings } from './common/command-line.ts';
import { CommandError, type Context, UsageError } from './common/context.ts';

/** Less than the usual timeout of health checks. */
const TIMEOUT_MS = 4_000;

export function healthCommand(context: Context): Command {
  const command = newCommand('health', 'Check the health of the server on this machine');
  command.option('--ready', 'Check whether it is ready for searches, not only alive');
  addSettings(command, ['host', 'port', 'tlsCert', 'tlsKey']);
  return command.action(async () => {
    const config = readSettings(command, context);
    const { ready } = command.opts<{ ready?: boolean }>();
    const path = ready === true ? '/ready' : '/health';
    const { status, body } = await fetchStatus(config, path);
    if (status !== 200) throw new CommandError(`${path} answers ${status}: ${body}`);
    context.terminal.print(body);
  });
}

/**
 * Requests a status path.
 * @throws CommandError if no server answers in time; UsageError if it speaks the other protocol
 */
function fetchStatus(
  { host, port, tls }: Config,
  path: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const address = { host: reachableHost(host), port, path, timeout: TIMEOUT_MS, agent: false };
  return new Promise((resolve, reject) => {
    const fail = async (error: NodeJS.ErrnoException) => {
      const place = `${address.host}:${port}`;
      // A server of TLS closes the connection, or answers with an alert.
      const isCut = error.code === 'ECONNRESET' || error.code?.startsWith('HPE_') === true;
      if (tls === null && isCut && (await speaksTls(address))) {
        reject(
          new UsageError([
            `The server at ${place} speaks TLS: set CARDEA_TLS_CERT and CARDEA_TLS_KEY, or --tls-cert and --tls-key, as for the server.`,
          ]),
        );
      } else if (error.code === 'EPROTO') {
        reject(
          new UsageError([
            `The server at ${place} speaks no TLS: leave out --tls-cert and --tls-key, CARDEA_TLS_CERT and CARDEA_TLS_KEY.`,
          ]),
        );
      } else reject(new CommandError(`No healthy server at ${place}: ${error.message}`));
    };
    // The certificate is for the public address, not this one. No secret is sent.
    const request =
      tls === null ? requestHttp(address) : requestHttps({ ...address, rejectUnauthorized: false });
    request.once('error', fail);
    request.once('timeout', () => request.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
    request.once('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.once('error', fail);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.end();
  });
}

/** Whether a server completes a handshake of TLS, whatever its certificate. */
function speaksTls({ host, port }: { readonly host: string; readonly port: number }) {
  return new Promise<boolean>((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: TIMEOUT_MS });
    const end = (speaks: boolean) => {
      resolve(speaks);
      socket.destroy();
    };
    socket.once('secureConnect', () => end(true));
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => end(false));
  });
}

/** The address at which a server that listens on `host` can be reached locally. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
