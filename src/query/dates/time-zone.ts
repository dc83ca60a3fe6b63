// Resolves the time zone names of requests: an IANA id or a fixed offset.
import { FixedOffsetZone, IANAZone, type Zone } from 'luxon';

export const UTC: Zone = FixedOffsetZone.utcInstance;

const OFFSET = /^([+-])(\d{2})(?::?(\d{2}))?$/;
const MAX_OFFSET_MINUTES = 18 * 60;

/** Returns the zone of an IANA id, `Z` or `±hh:mm`; undefined for an unknown name. */
export function timeZone(name: string): Zone | undefined {
  if (name === 'Z') return UTC;
  const parts = OFFSET.exec(name);
  if (parts !== null) {
    const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0);
    if (Number(parts[3] ?? 0) > 59 || minutes > MAX_OFFSET_MINUTES) return undefined;
    return FixedOffsetZone.instance(parts[1] === '-' ? -minutes : minutes);
  }
  const id = ianaId(name);
  return id === undefined ? undefined : IANAZone.create(id);
}

/** Returns a known name as other systems read it, which distinguish the case of IANA ids. */
export function zoneName(name: string): string {
  const zone = timeZone(name);
  return zone instanceof IANAZone ? zone.name : name;
}

/** Returns the usual spelling of an IANA id, which Intl accepts in any case. */
function ianaId(name: string): string | undefined {
  // Intl accepts more spellings of offsets, which other systems read differently.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
