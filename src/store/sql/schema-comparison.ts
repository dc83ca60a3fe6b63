// Compares the schema of a database with the one that the migrations make, for `doctor` and for a
// restored backup: what a client of the database has added, changed or removed. Other tables, with
// what belongs to them, are not compared, as PostgreSQL may hold those of other programs.
// Invariant: a database that only migrations have changed has no faults.

type Kind = 'table' | 'column' | 'index' | 'constraint' | 'trigger' | 'rule' | 'policy' | 'view';

/** A part of a schema. */
export interface SchemaPart {
  readonly kind: Kind;
  /** The table that it belongs to, or that a view reads; null: not known. */
  readonly table: string | null;
  readonly name: string;
  /** Two parts with the same effect have equal texts. */
  readonly definition: string;
  /** The statement that creates an index or a trigger. */
  readonly statement: string | null;
}

/** Returns the faults of the actual schema, one sentence each; empty if it is as expected. */
export function schemaFaults(
  expected: readonly SchemaPart[],
  actual: readonly SchemaPart[],
): readonly string[] {
  const differences = differencesOf(byKey(expected), byKey(actual));
  const tablesOf = (matches: (difference: Difference) => boolean) =>
    new Set(differences.filter(matches).map(({ part }) => part.table));
  const missing = tablesOf(({ part, how }) => part.kind === 'table' && how === 'missing');
  const withColumns = tablesOf(({ part }) => part.kind === 'column');
  const told = differences.filter(({ part: { kind, table }, how }) => {
    if (kind !== 'table') return !missing.has(table);
    // The text of a table in SQLite contains its columns, whose faults say more.
    return how === 'missing' || !withColumns.has(table);
  });
  // A view may read several tables.
  return [...new Set(told.map(sentenceOf))];
}

interface Difference {
  readonly part: SchemaPart;
  readonly how: 'missing' | 'changed' | 'foreign';
}

type Parts = ReadonlyMap<string, SchemaPart>;

function differencesOf(expected: Parts, actual: Parts): readonly Difference[] {
  const differences: Difference[] = [];
  for (const [key, part] of expected) {
    const definition = actual.get(key)?.definition;
    if (definition === part.definition) continue;
    differences.push({ part, how: definition === undefined ? 'missing' : 'changed' });
  }
  for (const [key, part] of actual) {
    const { kind, table } = part;
    if (expected.has(key) || kind === 'table') continue;
    if (table === null || expected.has(keyOf({ kind: 'table', table, name: table }))) {
      differences.push({ part, how: 'foreign' });
    }
  }
  return differences;
}

function byKey(parts: readonly SchemaPart[]): Parts {
  // records/audit-protection.ts compares and restores these, also for `audit verify`.
  const compared = parts.filter(
    ({ kind, table }) => table !== 'audit_event' || (kind !== 'trigger' && kind !== 'rule'),
  );
  return new Map(compared.map((part) => [keyOf(part), part]));
}

function keyOf({ kind, table, name }: Pick<SchemaPart, 'kind' | 'table' | 'name'>): string {
  return JSON.stringify([kind, table, name]);
}

function sentenceOf({ part, how }: Difference): string {
  const { kind, table, name, statement } = part;
  const owner = kind === 'table' || kind === 'view' ? '' : ` of the table ${table}`;
  const what = `the ${kind} ${name}${owner}`;
  const restore = statement === null ? 'restore a backup' : `run ${statement}`;
  switch (how) {
    case 'missing':
      return `${what} is missing: ${restore}`;
    case 'changed':
      return `${what} was changed: ${statement === null ? '' : 'drop it, then '}${restore}`;
    case 'foreign':
      return `${what} does not belong there: drop it`;
  }
}

/** A statement in one spelling: equal for texts that differ in spaces, case or quotes of names. */
export function normalised(sql: string): string {
  const tokens = sql.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|[^\s\w]/g) ?? [];
  return tokens
    .map((token) => (token.startsWith("'") ? token : token.toLowerCase().replace(/^"|"$/g, '')))
    .join(' ');
}

/** What a log says of triggers that were made again. @param triggers their names */
export function restoredSentence(triggers: readonly string[]): string {
  return `Triggers that write the checksums of records, or refuse changes of the audit trail, were missing or replaced, and were made again: ${triggers.join(', ')}. Records that another program changed meanwhile count as damaged: see cardea doctor and cardea audit verify`;
}
