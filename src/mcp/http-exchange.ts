// One message of the protocol over HTTP ("streamable HTTP", without sessions or streams): each
// request has a server of its own, so that no state outlives it and any node can answer.

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { assistantServer } from './assistant-server.ts';
import type { SearchAccess } from './search-access.ts';

/** A message that a client posted. */
export interface PostedMessage {
  /** The parsed body: one message, no batch. */
  readonly message: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface MessageAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** The headers that the protocol uses. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id'];

/**
 * Answers one message; a notification has an empty answer.
 * @throws whatever a call threw that is no refusal
 */
export async function answerMessage(
  access: SearchAccess,
  { message, headers }: PostedMessage,
  version: string,
): Promise<MessageAnswer> {
  const defects: unknown[] = [];
  const server = assistantServer(access, version, (error) => defects.push(error));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as Transport);
  try {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: HEADERS.flatMap((name) => {
        const value = headers[name];
        return value === undefined ? [] : [[name, String(value)] as [string, string]];
      }),
    });
    const response = await transport.handleRequest(request, { parsedBody: message });
    const text = await response.text();
    if (defects.length > 0) throw defects[0];
    const contentType = response.headers.get('content-type');
    return { status: response.status, contentType, text };
  } finally {
    await server.close();
  }
}
