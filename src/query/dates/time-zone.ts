// Time zones as requests name them: an IANA id or a fixed offset. Known before anything is read with them.
import { FixedOffsetZone, IANAZone, type Zone } from 'luxon';

export const UTC: Zone = FixedOffsetZone.utcInstance;

const OFFSET = /^([+-])(\d{2})(?::?(\d{2}))?$/;
const MAX_OFFSET_MINUTES = 18 * 60;

/** The zone of an IANA id, `Z` or `±hh:mm`; undefined where there is none of that name. */
export function timeZone(name: string): Zone | undefined {
  if (name === 'Z') return UTC;
  const parts = OFFSET.exec(name);
  if (parts !== null) {
    const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0);
    if (Number(parts[3] ?? 0) > 59 || minutes > MAX_OFFSET_MINUTES) return undefined;
    return FixedOffsetZone.instance(parts[1] === '-' ? -minutes : minutes);
  }
  // Intl also takes other spellings of offsets; those would mean something else elsewhere.
  if (!/^[A-Za-z]/.test(name) || !IANAZone.isValidZone(name)) return undefined;
  return IANAZone.create(name);
}
