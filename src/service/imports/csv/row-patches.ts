// Makes each row a JSON merge patch (RFC 7396) of its record: members of the file's columns are set, those
// of blank cells are null, all others stay as they are.
// Invariant: a row becomes one patch or one fault, which names every cell that does not fit.

import { createHash } from 'node:crypto';
import { plainText } from '../../../query/csv-row.ts';
import { memberAt } from '../../documents/record-line.ts';
import { CellFault, LIST_SEPARATOR, type ReadCell } from './cell-value.ts';
import type { ColumnRule } from './csv-map.ts';

/** Faults of a row that its message names. */
const FAULTS_SHOWN = 5;

/** Why a row is no record. */
export class RowFault extends Error {
  override readonly name = 'RowFault';
}

type Json = Record<string, unknown>;

/** Sets a member from the cells of a row. */
export interface Setter {
  /** For messages: the head, or the member that is set. */
  readonly name: string;
  /** Relative to the record or the element. */
  readonly path: readonly string[];
  /** The nested array of the element; null for a member of the record. */
  readonly nested: string | null;
  /** The column; null for a member that is made of several, or constant. */
  readonly column: number | null;
  /** The cell. */
  cell(cells: readonly string[]): string;
  readonly read: ReadCell;
  readonly blank: NonNullable<ColumnRule['blank']>;
}

/** How a row names its record and its element. */
export interface Identity {
  readonly elements: string | null;
  /** The column that names the record; null: a member `id` does. */
  readonly match: number | null;
  readonly matchHead: string;
  /** Members of which the id of an element is made. */
  readonly key: readonly string[];
  /** The setters of ids of elements, by nested array. */
  readonly ids: ReadonlyMap<string, Setter>;
}

/** Makes rows patches of records. */
export class RowPatches {
  readonly #heads: readonly string[];
  readonly #ofRecord: readonly Setter[];
  readonly #ofElements: ReadonlyMap<string, readonly Setter[]>;
  readonly #identity: Identity;

  constructor(heads: readonly string[], setters: readonly Setter[], identity: Identity) {
    this.#heads = heads;
    this.#identity = identity;
    this.#ofRecord = setters.filter(({ nested }) => nested === null);
    const arrays = new Set(setters.flatMap(({ nested }) => nested ?? []));
    this.#ofElements = new Map(
      [...arrays].map((array) => [array, setters.filter(({ nested }) => nested === array)]),
    );
  }

  /**
   * The patch of a row: `id` is that of its record, or with `match` the value that names it.
   * @returns null for a row without any value
   * @throws RowFault
   */
  patch(cells: readonly string[]): Json | null {
    if (cells.every((cell) => cell === '')) return null;
    const faults = this.#shapeFaults(cells);
    const patch: Json = {};
    const set = (target: Json, setter: Setter, cell: string) => {
      try {
        setMember(target, setter, cell);
      } catch (error) {
        if (!(error instanceof CellFault)) throw error;
        faults.push(`${setter.name}: ${error.message}`);
      }
    };
    if (faults.length === 0) {
      for (const setter of this.#ofRecord) set(patch, setter, setter.cell(cells));
      this.#name(patch, cells, faults);
      for (const [array, setters] of this.#ofElements) {
        const elements = this.#elements(array, setters, cells, set, faults);
        if (elements.length > 0) patch[array] = elements;
        for (const element of elements) this.#nameElement(array, patch, element, faults);
      }
    }
    if (faults.length > 0) throw new RowFault(listOf(faults));
    return patch;
  }

  #shapeFaults(cells: readonly string[]): string[] {
    const heads = this.#heads;
    const faults = cells.flatMap((cell, at) =>
      cell !== '' && at < heads.length && heads[at] === ''
        ? [`column ${at + 1} has a value, but no head`]
        : [],
    );
    const hasMore = cells.slice(heads.length).some((cell) => cell !== '');
    if (hasMore || cells.length < heads.length) {
      faults.push(
        `has ${cells.length} cells under ${heads.length} heads; a value with a separator or a line break in it must be in quotes`,
      );
    }
    return faults;
  }

  /** Sets the id of the record. */
  #name(patch: Json, cells: readonly string[], faults: string[]): void {
    const { match, matchHead } = this.#identity;
    if (match !== null) patch['id'] = plainText(cells[match] ?? '');
    const id = patch['id'];
    if (typeof id === 'string' && id !== '') return;
    const [setter] = this.#ofRecord.filter(({ path }) => path.join('.') === 'id');
    const head = match === null ? (setter?.name ?? 'id') : matchHead;
    faults.push(`${head} is blank, but names the record of the row`);
  }

  #elements(
    array: string,
    setters: readonly Setter[],
    cells: readonly string[],
    set: (target: Json, setter: Setter, cell: string) => void,
    faults: string[],
  ): Json[] {
    const id = this.#identity.ids.get(array);
    const ids = id === undefined ? [''] : valuesOf(id.cell(cells));
    if (ids.length === 0 && this.#identity.elements === array) {
      faults.push(`${id?.name} is blank, but names the element`);
    }
    const elements: Json[] = ids.map(() => ({}));
    for (const setter of setters) {
      const cell = setter.cell(cells);
      const isSplit = ids.length > 1 && setter.column !== null && cell !== '';
      const values = isSplit ? valuesOf(cell) : ids.map(() => cell);
      if (values.length === ids.length) {
        for (const [n, element] of elements.entries()) set(element, setter, values[n] ?? '');
      } else if (ids.length > 0) {
        faults.push(
          `${setter.name} has ${values.length} values, but ${id?.name} ${ids.length}; each element has one`,
        );
      }
    }
    return elements;
  }

  /** Sets the id of an element that has none: made of its key, so that the next import finds it. */
  #nameElement(array: string, patch: Json, element: Json, faults: string[]): void {
    const { key } = this.#identity;
    if (key.length === 0) return;
    const values = key.map((name) => memberAt(element, name.split('.')));
    const blank = key.find((_, n) => values[n] === undefined || values[n] === null);
    if (blank !== undefined) faults.push(`${blank} is blank, but is part of the key`);
    const text = JSON.stringify([patch['id'], array, ...values]);
    element['id'] = createHash('sha256').update(text).digest('hex').slice(0, 32);
  }
}

/** The faults of a row, shortened. */
function listOf(faults: readonly string[]): string {
  const more = faults.length - FAULTS_SHOWN;
  return faults.slice(0, FAULTS_SHOWN).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** Several values of one cell, as `cellText` joins them; blank ones stay. */
function valuesOf(cell: string): readonly string[] {
  return cell === '' ? [] : cell.split(LIST_SEPARATOR).map((one) => one.trim());
}

/** Sets a member. @throws CellFault */
function setMember(target: Json, { path, read, blank }: Setter, cell: string): void {
  if (cell === '' && blank === 'keep') return;
  let at = target;
  for (const name of path.slice(0, -1)) {
    const next = at[name];
    if (typeof next !== 'object' || next === null) at[name] = {};
    at = at[name] as Json;
  }
  at[path.at(-1) ?? ''] = cell === '' ? (blank === 'empty' ? '' : null) : read(cell);
}
