// The Model Context Protocol server, on the official SDK: lists the tools and runs them. A refused
// call is an answer with `isError`, so that the assistant can mend it. Any other error is a defect:
// the caller of this module gets it, the assistant only learns that the call failed.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { RefusedCall, type SearchAccess } from './search-access.ts';
import { ToolArguments } from './tool-arguments.ts';
import { INSTRUCTIONS, TOOLS } from './tools.ts';

/**
 * A server for one client, not yet connected to a transport.
 * @param onDefect receives errors that are no refusals
 */
export function assistantServer(
  access: SearchAccess,
  version: string,
  onDefect: (error: unknown) => void,
): Server {
  const server = new Server(
    { name: 'cardea', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, title, description, properties, required }) => ({
      name,
      title,
      description,
      inputSchema: {
        type: 'object' as const,
        properties,
        required: [...required],
        additionalProperties: false,
      },
      annotations: { title, readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(access, params.name, params.arguments ?? {}, onDefect),
  );
  return server;
}

async function callTool(
  access: SearchAccess,
  name: string,
  values: Readonly<Record<string, unknown>>,
  onDefect: (error: unknown) => void,
): Promise<CallToolResult> {
  try {
    const tool = TOOLS.find((candidate) => candidate.name === name);
    if (tool === undefined) {
      const names = TOOLS.map((candidate) => candidate.name).join(', ');
      throw new RefusedCall(
        `There is no tool ${JSON.stringify(name.slice(0, 60))}; there are ${names}.`,
      );
    }
    const text = await tool.run(access, new ToolArguments(values, Object.keys(tool.properties)));
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    if (!(error instanceof RefusedCall)) {
      onDefect(error);
      return { content: [{ type: 'text', text: 'The call failed.' }], isError: true };
    }
    const { message, causes } = error;
    const more = causes.filter((cause) => !message.includes(cause));
    return { content: [{ type: 'text', text: [message, ...more].join('\n') }], isError: true };
  }
}
