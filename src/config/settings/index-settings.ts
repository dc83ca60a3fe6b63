// Parsers of settings with a value for each index: one for all, and exceptions by document type, by
// tenant id, or by both. config-values.ts parses the single values.

import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { PerIndex } from '../../query/mapping/per-index.ts';
import { InvalidValue, type Parser } from './config-values.ts';

/**
 * `1`, or `1,events=3,ID/events=6,ID/*=2`.
 * @param example shown in the error
 */
export function perIndex<Value>(value: Parser<Value>, example: string): Parser<PerIndex<Value>> {
  const wrong = (part: string): InvalidValue =>
    new InvalidValue(
      `must be a value for all indexes and then exceptions, such as ${example}; an exception is TYPE=VALUE, TENANT_ID/TYPE=VALUE or TENANT_ID/*=VALUE, with TYPE one of ${INDEX_NAMES.join(', ')}; ${JSON.stringify(part)} is none`,
    );
  return (text) => {
    const [all = '', ...others] = text.split(',').map((part) => part.trim());
    if (all.includes('=')) throw wrong(all);
    const exceptions = new Map<string, Value>();
    for (const part of others) {
      const [, name = '', own = ''] = /^([^=\s]+)\s*=\s*(\S+)$/.exec(part) ?? [];
      if (!isException(name)) throw wrong(part);
      if (exceptions.has(name)) {
        throw new InvalidValue(`must have one value for ${JSON.stringify(name)}, not two`);
      }
      exceptions.set(name, value(own));
    }
    return { all: value(all), exceptions };
  };
}

/** A number of replicas; `auto`: one, if there is a second node. */
export const replicaCount: Parser<number | 'auto'> = (text) => {
  const count = /^\d$/.test(text) ? Number(text) : Number.NaN;
  if (text === 'auto' || count >= 0) return text === 'auto' ? text : count;
  throw new InvalidValue(`must be auto or a whole number from 0 to 9, not ${JSON.stringify(text)}`);
};

function isException(name: string): boolean {
  const [, tenant, type = ''] = /^(?:([\w-]{1,64})\/)?([a-z]+|\*)$/.exec(name) ?? [];
  if (type === '*') return tenant !== undefined;
  return (INDEX_NAMES as readonly string[]).includes(type);
}
