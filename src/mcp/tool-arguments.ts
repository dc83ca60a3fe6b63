// Reads the arguments of a tool. Assistants make mistakes, so an error names the argument, what was
// expected, and the nearest known name.
import { nearestName } from '../query/mapping/nearest-name.ts';
import { RefusedCall } from './search-access.ts';

export class ToolArguments {
  readonly #values: Readonly<Record<string, unknown>>;

  /** @throws RefusedCall for an argument that the tool does not have */
  constructor(values: Readonly<Record<string, unknown>>, known: readonly string[]) {
    this.#values = values;
    for (const name of Object.keys(values)) {
      if (known.includes(name)) continue;
      const near = nearestName(name, known);
      const hint = near === null ? `it has ${known.join(', ')}` : `did you mean ${near}?`;
      throw new RefusedCall(
        `The tool has no argument ${JSON.stringify(name.slice(0, 60))}; ${hint}`,
      );
    }
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === 'string') return value;
    throw wrong(name, 'a string');
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value.trim() === '') throw wrong(name, 'a string that is not blank');
    return value;
  }

  /** One string or several. */
  texts(name: string): readonly string[] | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return [value];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw wrong(name, 'an array of strings');
  }

  integer(name: string, byDefault: number, least: number, most: number): number {
    const value = this.#get(name) ?? byDefault;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) {
      return value as number;
    }
    throw wrong(name, `a whole number from ${least} to ${most}`);
  }

  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
    throw wrong(name, 'an object');
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? undefined) : undefined;
  }
}

function wrong(name: string, expected: string): RefusedCall {
  return new RefusedCall(`${name} must be ${expected}.`);
}
