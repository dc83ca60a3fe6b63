// Warnings about query parameters that a route does not read, with what to send instead: an ignored
// filter would otherwise look like one that matches everything.
// Invariant: warnings change no answer, and show a bounded part of what was sent.
import type { FastifyRequest } from 'fastify';
import { type KnownParameters, mendOf } from '../../service/lists/parameter-hints.ts';
import type { Dialect, ServedEndpoint } from '../requests/endpoint.ts';
import { writeWarnings } from './warning-header.ts';

/** Most unknown parameters that a warning names, and the characters it shows of each. */
const NAMED_MAX = 5;
const SHOWN_CHARACTERS = 60;
/** Characters of the known parameters that a warning names. */
const KNOWN_CHARACTERS = 400;

/** The family of parameters of each format of errors. */
const FAMILIES = { isc: 'isc', oauth: 'isc', nerm: 'nerm', search: 'search' } as const;

/** The warnings about parameters that are ignored: which, and what to send instead of some. */
export function parameterWarnings(
  unknown: readonly string[],
  known: KnownParameters,
  dialect: Dialect,
): readonly { readonly text: string }[] {
  if (unknown.length === 0) return [];
  const named = unknown.slice(0, NAMED_MAX).map((name) => {
    const isLong = name.length > SHOWN_CHARACTERS;
    return { name, shown: `"${isLong ? `${name.slice(0, SHOWN_CHARACTERS)}...` : name}"` };
  });
  const rest = unknown.length > NAMED_MAX ? ` and ${unknown.length - NAMED_MAX} more` : '';
  const all = [...new Set(known.names)];
  const listed: string[] = [];
  for (const name of all) {
    if (listed.join(', ').length + name.length > KNOWN_CHARACTERS) break;
    listed.push(name);
  }
  const others = all.length - listed.length;
  const shownNames = `${listed.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  const names = named.map(({ shown }) => shown).join(', ');
  return [
    { text: `Ignored unknown parameters ${names}${rest}; known are ${shownNames}` },
    ...named.flatMap(({ name, shown }) => {
      const send = mendOf(name, known, FAMILIES[dialect]);
      return send === null ? [] : [{ text: `Instead of ${shown} send ${send}` }];
    }),
  ];
}

/** A route that warns of parameters it does not have, if it says which it has. */
export function withParameterWarnings(endpoint: ServedEndpoint): ServedEndpoint {
  const { parameters, form, dialect, handle } = endpoint;
  if (parameters === undefined) return endpoint;
  return {
    ...endpoint,
    handle(request, reply) {
      const unknown = unknownParameters(request, parameters);
      if (unknown.length > 0) {
        writeWarnings(reply, parameterWarnings(unknown, { names: parameters, form }, dialect));
      }
      return handle.call(endpoint, request, reply);
    },
  };
}

function unknownParameters(request: FastifyRequest, known: readonly string[]): readonly string[] {
  return Object.keys(request.query as object).filter((name) => !known.includes(name));
}
