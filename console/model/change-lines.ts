// What one entry of a user's history changed, in words: `enabled: true → false`.

/** A change of an auth user, from the audit trail. */
export interface UserChange {
  /** Id of the event. */
  readonly id: string;
  /** ISO 8601. */
  readonly created: string;
  readonly operation: string;
  readonly actor: { readonly name: string; readonly id: string | null };
  /** null if the capabilities did not change. */
  readonly capabilities: {
    readonly before: readonly string[];
    readonly after: readonly string[];
    readonly granted: readonly string[];
    readonly revoked: readonly string[];
  } | null;
  /** The other changed members; null for a creation or deletion. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** A member that changed, with its values before and after. */
export interface ChangeLine {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

const OPERATIONS: Readonly<Record<string, string>> = {
  CREATE: 'Created',
  MODIFY: 'Changed',
  ENABLE: 'Enabled',
  DISABLE: 'Disabled',
  SIGN_OUT: 'Signed out',
  DELETE: 'Deleted',
};

/** The operation in words; a change of capabilities says so. */
export function operationText({ operation, capabilities }: UserChange): string {
  const isGrant = capabilities !== null && operation === 'MODIFY';
  if (isGrant) return 'Capabilities changed';
  return Object.hasOwn(OPERATIONS, operation) ? (OPERATIONS[operation] ?? operation) : operation;
}

/** The changed members, the capabilities first. */
export function changeLines({ capabilities, before, after }: UserChange): ChangeLine[] {
  const isChanged =
    capabilities !== null && capabilities.granted.length + capabilities.revoked.length > 0;
  const capabilityLines = isChanged
    ? [
        {
          label: 'capabilities',
          before: valueText(capabilities.before),
          after: valueText(capabilities.after),
        },
      ]
    : [];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const others = names
    .map((name) => ({
      label: name,
      before: valueText(before?.[name]),
      after: valueText(after?.[name]),
    }))
    .filter((line) => line.before !== line.after);
  return [...capabilityLines, ...others];
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
