// The values of the corpus that questions are made of. A sample is enough: questions differ by the
// combination of values, and the sample has many times the values that a run needs.
// Invariant: the same corpus gives the same vocabulary.
import { type Corpus, corpusLines } from '../corpus.ts';

/** Values of one person; service accounts are left out, since they have no name or department. */
export interface Person {
  readonly id: string;
  /** The login name, unique. */
  readonly name: string;
  readonly displayName: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly department: string;
  readonly jobTitle: string;
  readonly city: string;
  readonly lifecycleState: string;
  /** Login name of the manager. */
  readonly manager: string;
  /** Entitlements and access profiles, which have a source; at least one. */
  readonly access: readonly Access[];
}

export interface Access {
  readonly type: string;
  readonly name: string;
  readonly source: string;
  /** False also for access profiles, which have no such member. */
  readonly privileged: boolean;
}

export interface Occurrence {
  /** The kind of event, such as `AUTH`. */
  readonly type: string;
  /** Epoch milliseconds. */
  readonly created: number;
  /** Login name of whom it affects, unique. */
  readonly target: string;
}

export interface Vocabulary {
  readonly people: readonly Person[];
  readonly events: readonly Occurrence[];
}

const PEOPLE_MAX = 20_000;
const EVENTS_MAX = 10_000;

interface IdentityLine {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly manager?: { readonly name: string };
  readonly access: readonly {
    readonly type: string;
    readonly name: string;
    readonly source?: { readonly name: string };
    readonly privileged?: boolean;
  }[];
}

interface EventLine {
  readonly type: string;
  readonly created: string;
  readonly target: { readonly name: string };
}

/** Reads a sample of a corpus, spread over the whole file. */
export async function readVocabulary(corpus: Corpus): Promise<Vocabulary> {
  // Six in ten documents are identities, three are events.
  const everyPerson = Math.max(1, Math.floor((corpus.documents * 0.6) / PEOPLE_MAX));
  const everyEvent = Math.max(1, Math.floor((corpus.documents * 0.3) / EVENTS_MAX));
  const people: Person[] = [];
  const events: Occurrence[] = [];
  let identities = 0;
  let occurrences = 0;
  for await (const line of corpusLines(corpus)) {
    if (line.startsWith('{"_type":"identity"')) {
      identities += 1;
      if (identities % everyPerson !== 0) continue;
      const person = personOf(JSON.parse(line) as IdentityLine);
      if (person !== null) people.push(person);
    } else if (line.startsWith('{"_type":"event"')) {
      occurrences += 1;
      if (occurrences % everyEvent !== 0) continue;
      const { type, created, target } = JSON.parse(line) as EventLine;
      events.push({ type, created: Date.parse(created), target: target.name });
    }
  }
  return { people, events };
}

function personOf(line: IdentityLine): Person | null {
  const { id, name, displayName, firstName, lastName, attributes, manager } = line;
  const access = line.access.flatMap(({ type, name, source, privileged = false }) =>
    source === undefined ? [] : [{ type, name, source: source.name, privileged }],
  );
  const { department, jobTitle, city, cloudLifecycleState: lifecycleState } = attributes;
  if (firstName === undefined || lastName === undefined || manager === undefined) return null;
  if (department === undefined || jobTitle === undefined || city === undefined) return null;
  if (lifecycleState === undefined || access.length === 0) return null;
  return {
    ...{ id, name, displayName, firstName, lastName, department, jobTitle, city, lifecycleState },
    ...{ manager: manager.name, access },
  };
}
