// The messages of a refused request by the field of the form that they concern. The service names
// the member first: `schedule.hours.values[0]: "24" is not …`.
import { ApiFault } from './fault.ts';

/** A fault, divided among the fields of a form. */
export interface FieldFaults {
  /** By field. */
  readonly byField: Readonly<Record<string, string>>;
  /** The messages that concern no field. */
  readonly rest: ApiFault | null;
}

const MEMBER = /^([A-Za-z]\w*(?:\.\w+|\[\d+\])*): (.+)$/s;

/** @param fields paths of members; a message belongs to the longest one that starts its path */
export function faultsByField(fault: ApiFault | null, fields: readonly string[]): FieldFaults {
  if (fault === null) return { byField: {}, rest: null };
  const byField: Record<string, string> = {};
  const others: string[] = [];
  for (const message of [fault.message, ...fault.causes]) {
    const [, path = '', text = ''] = MEMBER.exec(message) ?? [];
    const field = fields
      .filter((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
      .sort((a, b) => b.length - a.length)[0];
    if (field === undefined) others.push(message);
    else byField[field] = `${byField[field] === undefined ? '' : `${byField[field]}; `}${text}`;
  }
  const [first, ...causes] = others;
  return {
    byField,
    rest: first === undefined ? null : new ApiFault(fault.kind, first, causes, fault.trackingId),
  };
}
