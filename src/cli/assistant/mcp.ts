// cardea mcp: serves an assistant over standard input and output, with searches on a running server.
// The assistant starts this program and gives it the credentials in its environment.
import type { Command } from 'commander';
import type { ServiceAccess } from '../../remote/service-client.ts';
import { newCommand, readSettings } from '../common/command-line.ts';
import { type Context, UsageError } from '../common/context.ts';

interface Flags {
  readonly server?: string;
}

const DEFAULT_SERVER = 'http://127.0.0.1:8080';

export function mcpCommand(context: Context): Command {
  const command = newCommand(
    'mcp',
    'Serve an assistant over standard input and output',
  ).description(
    'Serve an assistant that speaks the Model Context Protocol over standard input and output, with searches on a running server: a Cardea, or a tenant of the public service. The assistant can read what the credentials can search, and change nothing. SAIL_CLIENT_ID and SAIL_CLIENT_SECRET are the credentials, or SAIL_ACCESS_TOKEN is an access token. See docs/assistants.md.',
  );
  command.option(
    '--server <url>',
    `Base URL of the server [SAIL_BASE_URL, default: ${DEFAULT_SERVER}]`,
  );
  return command.action(async () => {
    readSettings(command, context);
    const server = serverOf(command.opts<Flags>(), context);
    const { remoteAccess } = await import('../../mcp/remote-access.ts');
    const { serveStdio } = await import('../../mcp/stdio-session.ts');
    const { raw } = context.terminal;
    // A stack has several lines.
    const note = (text: string) => raw.err(`${text}\n`);
    const streams = { input: context.stdin, write: raw.json, note };
    await serveStdio(remoteAccess(server), context.version, streams, context.stop.wait());
  });
}

/** @throws UsageError */
function serverOf({ server }: Flags, { env }: Context): ServiceAccess {
  const baseUrl = (server ?? env['SAIL_BASE_URL'] ?? DEFAULT_SERVER).replace(/\/+$/, '');
  const faults: string[] = [];
  if (!/^https?:\/\/[^/]/.test(baseUrl) || !URL.canParse(baseUrl)) {
    faults.push(
      `--server must be like https://tenant.example.org (it is ${JSON.stringify(baseUrl)}).`,
    );
  }
  const token = env['SAIL_ACCESS_TOKEN'] ?? '';
  const clientId = env['SAIL_CLIENT_ID'] ?? '';
  const clientSecret = env['SAIL_CLIENT_SECRET'] ?? '';
  if (token === '' && (clientId === '' || clientSecret === '')) {
    faults.push(
      'Credentials are missing: set SAIL_CLIENT_ID and SAIL_CLIENT_SECRET, or SAIL_ACCESS_TOKEN.',
    );
  }
  if (faults.length > 0) throw new UsageError(faults);
  return { baseUrl, credentials: token === '' ? { clientId, clientSecret } : { token } };
}
