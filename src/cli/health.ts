// cardea health: asks the server of this machine how it is, for the health checks of containers and service managers.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { addSettings, newCommand, readSettings } from './command-line.ts';
import { CommandError, type Context } from './context.ts';

/** Less than health checks wait. */
const TIMEOUT_MS = 4_000;

export function healthCommand(context: Context): Command {
  const command = newCommand('health', 'Ask the server on this machine whether it is well');
  command.option('--ready', 'Whether it can answer searches, not only whether it lives');
  addSettings(command, ['host', 'port', 'tlsCert', 'tlsKey']);
  return command.action(async () => {
    const config = readSettings(command, context);
    const { ready } = command.opts<{ ready?: boolean }>();
    const path = ready === true ? '/ready' : '/health';
    const { status, body } = await ask(config, path);
    if (status !== 200) throw new CommandError(`${path} answers ${status}: ${body}`);
    context.terminal.print(body);
  });
}

/** @throws CommandError where nothing answers in time */
function ask(
  { host, port, tls }: Config,
  path: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const address = { host: reachable(host), port, path, timeout: TIMEOUT_MS, agent: false };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(new CommandError(`Nothing well answers at ${address.host}:${port}: ${error.message}`));
    };
    // Its certificate names the address that clients use, not this one. No secret is sent, and the answer opens nothing.
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

/** Where a server that listens on `host` can be reached from here. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
