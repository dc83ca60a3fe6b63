// Which rows a statement reads or changes, as far as its text says: those of one table with a tenant
// and an id. Texts repeat, so each is analysed once.
// Invariant: two statements that can affect the same row have selections that overlap.
import type { SqlValue } from '../statement.ts';

/** Rows of one table. Undefined: of every tenant, or with any id. */
export interface Selection {
  readonly table: string;
  readonly tenantId: string | undefined;
  readonly id: string | undefined;
}

/** Where the values of a text are that select rows. */
interface Places {
  readonly table: string;
  readonly tenantId: number | undefined;
  readonly id: number | undefined;
}

/** Most texts that are kept; the product has fewer statements. */
const TEXTS_MAX = 500;
const CONDITIONS = String.raw`where ("\w+" = \$\d+(?: and "\w+" = \$\d+)*)$`;
/** Rows of one table by equal columns, as Kysely writes it: the table, and the conditions. */
const READ = new RegExp(String.raw`^select (?:\*|[\w", ]+) from "(\w+)" ${CONDITIONS}`);
/** The same for an update. Its columns are set to parameters only, and none of them is a key. */
const UPDATE = new RegExp(
  String.raw`^update "(\w+)" set (?:(?!"tenant_id"|"id")"\w+" = \$\d+(?:, )?)+ ${CONDITIONS}`,
);
/** Any other change of one table. */
const CHANGE = /^(?:insert into|update|delete from) "(\w+)"/;

export class Selections {
  readonly #reads = new Map<string, Places | null>();
  readonly #changes = new Map<string, Places | null>();

  /** The rows that a statement reads; null if its text does not say. */
  ofRead(text: string, values: readonly SqlValue[]): Selection | null {
    return selected(placesOf(this.#reads, text, readPlaces), values);
  }

  /** The rows that a statement may change; null if its text does not say. */
  ofChange(text: string, values: readonly SqlValue[]): Selection | null {
    return selected(placesOf(this.#changes, text, changePlaces), values);
  }
}

/** Whether two selections of one table may have a row in common. */
export function overlap(one: Selection, other: Selection): boolean {
  return mayEqual(one.tenantId, other.tenantId) && mayEqual(one.id, other.id);
}

function mayEqual(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function placesOf(
  kept: Map<string, Places | null>,
  text: string,
  analyse: (text: string) => Places | null,
): Places | null {
  let places = kept.get(text);
  if (places === undefined) {
    places = analyse(text);
    if (kept.size >= TEXTS_MAX) kept.clear();
    kept.set(text, places);
  }
  return places;
}

function readPlaces(text: string): Places | null {
  return keyPlaces(READ.exec(text));
}

function changePlaces(text: string): Places | null {
  const places = keyPlaces(UPDATE.exec(text));
  if (places !== null) return places;
  const table = CHANGE.exec(text)?.[1];
  return table === undefined ? null : { table, tenantId: undefined, id: undefined };
}

function keyPlaces(match: RegExpExecArray | null): Places | null {
  const [, table, conditions] = match ?? [];
  if (table === undefined || conditions === undefined) return null;
  const placeOf = (column: string) => {
    const condition = new RegExp(String.raw`"${column}" = \$(\d+)`).exec(conditions);
    return condition === null ? undefined : Number(condition[1]) - 1;
  };
  return { table, tenantId: placeOf('tenant_id'), id: placeOf('id') };
}

function selected(places: Places | null, values: readonly SqlValue[]): Selection | null {
  if (places === null) return null;
  const { table, tenantId, id } = places;
  return { table, tenantId: keyAt(values, tenantId), id: keyAt(values, id) };
}

/** A text as the database gets it, where all lone surrogates are the same. */
function keyAt(values: readonly SqlValue[], place: number | undefined): string | undefined {
  const value = place === undefined ? undefined : values[place];
  return typeof value === 'string' ? value.toWellFormed() : undefined;
}
