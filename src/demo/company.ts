// The organisation chart: the department and the manager of identity n follow from n by arithmetic.
// Identity 0 heads the company; each department is a range of numbers, and its k-th member reports
// to the (k-1)/SPAN-th.
// Invariant: a manager has a smaller number than their reports, and has never left.
import { DEPARTMENTS, type Department, LEVEL_HOLDERS } from './company-tables.ts';
import { type Part, partOf, partsOf } from './parts.ts';
import { at, Random } from './random.ts';

/** Most direct reports of a manager within a department. */
const SPAN = 7;
/**
 * The first members of each department are always active employees: they own objects and hold
 * capabilities.
 */
const ANCHORS = 24;

const DAY = 86_400_000;
/** Of the services, one in three is an account that belongs to nobody. */
const ORPHAN_EVERY = 3;
/** Days from the reference date to the end of a contract. */
const LEAVING_DAYS = 12;
const OVERDUE_DAYS = -3;

/** `leave`: returns later; `prehire`: starts soon; `terminated`: has left; `none`: not a person. */
export type Lifecycle = 'active' | 'leave' | 'prehire' | 'terminated' | 'none';
export type Employment = 'employee' | 'contractor' | 'service';

/** The position of an identity in the company, without name. */
export interface Seat {
  readonly n: number;
  readonly department: Department;
  readonly departmentNumber: number;
  /** Number within the department; 0 heads it. */
  readonly local: number;
  /** Number of the manager; null for the head of the company and for services. */
  readonly managerNumber: number | null;
  readonly isManager: boolean;
  readonly employment: Employment;
  readonly lifecycle: Lifecycle;
  /** What an audit finds; null for most. */
  readonly part: Part | null;
}

/** The organisation of a company of `size` identities. */
export class Company {
  readonly size: number;
  readonly seed: number;
  /** First number of each department, and the number after the last department. */
  readonly #starts: readonly number[];
  /** The levels of auth users who have one, by number of the identity. */
  readonly levels: ReadonlyMap<number, readonly string[]>;

  constructor(seed: number, size: number) {
    this.seed = seed;
    this.size = size;
    const weights = DEPARTMENTS.reduce((sum, { weight }) => sum + weight, 0);
    const starts = [1];
    let sum = 0;
    for (const { weight } of DEPARTMENTS) {
      sum += weight;
      starts.push(1 + Math.floor(((size - 1) * sum) / weights));
    }
    this.#starts = starts;
    const levels = new Map<number, readonly string[]>();
    for (const [departmentNumber, local, added] of LEVEL_HOLDERS) {
      const n = this.anchor(departmentNumber, local);
      levels.set(n, [...new Set([...(levels.get(n) ?? []), ...added])]);
    }
    this.levels = levels;
  }

  departmentSize(departmentNumber: number): number {
    return at(this.#starts, departmentNumber + 1) - at(this.#starts, departmentNumber);
  }

  /**
   * One of the first members of a department, by any number; the head of the company if it is
   * empty.
   */
  anchor(departmentNumber: number, pick: number): number {
    const size = this.departmentSize(departmentNumber);
    const people = Math.min(size - partsOf(departmentNumber, size), ANCHORS);
    return people === 0 ? 0 : at(this.#starts, departmentNumber) + (pick % people);
  }

  seat(n: number): Seat {
    if (n === 0) return this.#head();
    const departmentNumber = this.#departmentOf(n);
    const start = at(this.#starts, departmentNumber);
    const local = n - start;
    const size = this.departmentSize(departmentNumber);
    const part = partOf(departmentNumber, size, local);
    if (part !== null) return this.#seatOf(part, n, departmentNumber);
    // Somebody with a part may have no manager.
    const isManager = SPAN * local + 1 < size - partsOf(departmentNumber, size);
    const anchored = isManager || local < ANCHORS;
    const random = new Random(this.seed, 'identity', n);
    const employment = anchored ? 'employee' : employmentOf(random.fraction());
    const managerNumber = start + Math.floor((local - 1) / SPAN);
    return {
      n,
      department: at(DEPARTMENTS, departmentNumber),
      departmentNumber,
      local,
      managerNumber: employment === 'service' ? null : local === 0 ? 0 : managerNumber,
      isManager,
      employment,
      lifecycle: anchored ? 'active' : lifecycleOf(employment, random.fraction()),
      part: employment === 'service' && n % ORPHAN_EVERY === 0 ? 'orphan' : null,
    };
  }

  #seatOf(part: Part, n: number, departmentNumber: number): Seat {
    const start = at(this.#starts, departmentNumber);
    const local = n - start;
    const hasManager = part === 'leaver' || part === 'overdue';
    return {
      ...{ n, departmentNumber, local, part, isManager: false },
      department: at(DEPARTMENTS, departmentNumber),
      // The head of the department, who manages others, too.
      managerNumber: hasManager ? start : null,
      employment: part === 'orphan' ? 'service' : part === 'leaver' ? 'employee' : 'contractor',
      lifecycle: part === 'orphan' ? 'none' : part === 'leaver' ? 'terminated' : 'active',
    };
  }

  #head(): Seat {
    return {
      n: 0,
      department: at(DEPARTMENTS, 5),
      departmentNumber: 5,
      local: -1,
      managerNumber: null,
      isManager: this.size > 1,
      employment: 'employee',
      lifecycle: 'active',
      part: null,
    };
  }

  #departmentOf(n: number): number {
    let departmentNumber = 0;
    while (n >= at(this.#starts, departmentNumber + 1)) departmentNumber += 1;
    return departmentNumber;
  }
}

function employmentOf(chance: number): Employment {
  if (chance < 0.015) return 'service';
  return chance < 0.16 ? 'contractor' : 'employee';
}

function lifecycleOf(employment: Employment, chance: number): Lifecycle {
  if (employment === 'service') return 'none';
  if (chance < 0.09) return 'terminated';
  if (chance < 0.115) return 'leave';
  return chance < 0.13 ? 'prehire' : 'active';
}

/** The dates of one employment, in epoch milliseconds. */
export interface Dates {
  readonly start: number;
  /** null: open-ended. */
  readonly end: number | null;
  readonly created: number;
  readonly modified: number;
  readonly synced: number;
}

/**
 * Generates dates that match a lifecycle: leavers have an end in the past, contractors mostly one
 * in the future.
 * @param now the reference date in epoch milliseconds
 */
export function datesOf(seat: Seat, random: Random, now: number): Dates {
  const past = (days: number): number => now - Math.floor(days * DAY);
  const years = seat.isManager ? 18 : 11;
  let start = past(45 + years * 365 * random.squared());
  let end: number | null = null;
  if (seat.lifecycle === 'prehire') start = now + Math.floor((1 + 40 * random.fraction()) * DAY);
  if (seat.lifecycle === 'terminated') {
    end = start + Math.floor((now - start) * (0.4 + 0.6 * random.fraction()));
  } else if (seat.employment === 'contractor') {
    end = now + Math.floor((300 * random.fraction() - 6) * DAY);
  }
  if (seat.part === 'leaving') end = now + LEAVING_DAYS * DAY;
  if (seat.part === 'overdue') end = now + OVERDUE_DAYS * DAY;
  // Records start when the company introduced the service, at most eight years ago.
  const created = Math.max(
    Math.min(start - 9 * DAY, past(2)),
    past(8 * 365 - random.fraction() * 60),
  );
  const modified = created + Math.floor((past(0.2) - created) * (1 - random.cubed()));
  return { start, end, created, modified, synced: now - 1000 - random.below(3_600_000) };
}

/** Generates a job title. */
export function jobTitle(seat: Seat, random: Random): string {
  if (seat.n === 0) return 'Chief Executive Officer';
  const { name, titles } = seat.department;
  if (seat.local === 0) return `Head of ${name}`;
  if (seat.isManager) return `${seat.local <= SPAN ? 'Director' : 'Manager'}, ${name}`;
  const title = random.pick(titles);
  const rank = random.fraction();
  if (rank < 0.18) return `Senior ${title}`;
  return rank < 0.3 ? `Junior ${title}` : title;
}
