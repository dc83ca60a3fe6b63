// The requests of the profile management benchmark: pages, cursors and advanced searches, with
// values that vary as those of users do.

export interface ProfileRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

export interface ProfileCell {
  readonly name: string;
  /** Sent in turn. */
  readonly requests: readonly ProfileRequest[];
}

type Wire = Readonly<Record<string, unknown>>;

/** Number of cursor positions. */
const CURSORS = 50;
/** Number of consecutive pages by offset. */
const PAGES = 10;

/**
 * The cells for a running demo with the given number of profiles.
 * @param get requests a path and parses the response
 */
export async function profileCells(
  get: (path: string) => Promise<unknown>,
  profiles: number,
): Promise<readonly ProfileCell[]> {
  const list = async (path: string) => (await get(path)) as readonly Wire[];
  const attributes = new Map(
    (await list('/api/ne_attributes?limit=1000')).map(({ uid, id }) => [String(uid), String(id)]),
  );
  const vendors = await list('/api/profiles?profile_type_id=vendor&limit=50');
  const cursorIds = await readCursorIds(list);
  const pages = (parameters: string, from = 0) =>
    Array.from({ length: PAGES }, (_, n) =>
      page(`limit=100&offset=${from + n * 100}${parameters}`),
    );
  const rule = (uid: string, comparison_operator: string, value: string) => ({
    ...{ type: 'ProfileAttributeRule', object_type: 'NeAttribute', comparison_operator, value },
    condition_object_id: attributes.get(uid),
  });
  const contractor = { type: 'ProfileTypeRule', comparison_operator: '==', value: 'contractor' };
  const notTerminated = {
    ...{ type: 'ProfileStatusRule', comparison_operator: '!=', value: 'Terminated' },
  };
  const cell = (name: string, searches: readonly (readonly object[])[]): ProfileCell => ({
    name,
    requests: searches.map((rules) => ({
      ...{ method: 'POST', path: '/api/advanced_search/run?limit=100' },
      body: { advanced_search: { condition_rules_attributes: rules } },
    })),
  });
  return [
    { name: 'page of 100, the first ten', requests: pages('') },
    { name: 'page of 100 by name, the first ten', requests: pages('&order=name') },
    {
      name: 'page of 100 without attributes, the first ten',
      requests: pages('&exclude_attributes=true'),
    },
    {
      name: 'page of 100 of a type and a status, the first ten',
      requests: pages('&profile_type_id=contractor&status=Active'),
    },
    { name: 'page of 100, ten at half the way', requests: pages('', Math.floor(profiles / 2)) },
    {
      name: 'page of 100 by after_id',
      requests: cursorIds.map((id) => page(`limit=100&after_id=${id}`)),
    },
    {
      name: 'one profile',
      requests: cursorIds.map((id) => ({ method: 'GET', path: `/api/profiles/${id}` })),
    },
    cell('three rules, nearly all match', [
      [notTerminated, rule('sync_state', '!=', 'failed'), rule('job_title', '!=', 'nobody')],
    ]),
    cell(
      'three rules, few match',
      vendors
        .slice(-25)
        .map(({ id }) => [
          ...[contractor, notTerminated, rule('organization', 'include?', String(id))],
        ]),
    ),
    cell('three rules, none matches', [
      [contractor, notTerminated, rule('last_name', '==', 'Nobody Is Called So')],
    ]),
    cell('three rules with a date, leaving in 30 days', [
      [contractor, notTerminated, rule('end_date', '<', '30 after')],
    ]),
    cell(
      'three rules with a substring, many match',
      ['eng', 'an', 'ist', 'tech'].map((term) => [
        ...[contractor, notTerminated, rule('job_title', 'include?', term)],
      ]),
    ),
    cell(
      'three rules with a substring, few match',
      ['00731', '99112', '41417'].map((term) => [
        ...[contractor, notTerminated, rule('worker_number', 'include?', term)],
      ]),
    ),
  ];
}

function page(parameters: string): ProfileRequest {
  return { method: 'GET', path: `/api/profiles?${parameters}` };
}

/** Ids of profiles at intervals of 500. */
async function readCursorIds(
  list: (path: string) => Promise<readonly Wire[]>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after = ''; ids.length < CURSORS; ) {
    const rows = await list(`/api/profiles?after_id=${after}&limit=500&exclude_attributes=true`);
    const last = rows.at(-1)?.['id'];
    if (typeof last !== 'string') break;
    ids.push(last);
    after = last;
  }
  return ids;
}
