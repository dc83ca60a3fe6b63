// Settings of the search backend and of the memory of the embedded engine.
import { indexPrefix, memorySize, searchAddress, wholeNumber } from './config-values.ts';
import { perIndex, replicaCount } from './index-settings.ts';
import { ANY, MILLISECONDS, NUMBER, setting } from './setting.ts';

/** In the order of help texts. */
export const SEARCH = {
  searchUrl: setting(
    'search-url',
    'embedded',
    'Search backend: embedded, or the address of an OpenSearch (http or https).',
    searchAddress,
    { ...ANY, value: 'backend' },
  ),
  searchPrefix: setting(
    'search-prefix',
    'cardea',
    'Prefix of index names in OpenSearch; services that share a cluster need different ones.',
    indexPrefix,
    { ...ANY, value: 'name' },
  ),
  searchShards: setting(
    'search-shards',
    '1',
    'Shards of each index in OpenSearch: a number for all, and others by document type, tenant id or both, such as 1,events=3,ID/events=6,ID/*=2. A change feeds the documents into new indexes beside the old ones, which answer meanwhile.',
    perIndex(wholeNumber(1, 64), '1,events=3'),
    { ...ANY, value: 'numbers' },
  ),
  searchReplicas: setting(
    'search-replicas',
    'auto',
    'Copies of each shard in OpenSearch beside the first: auto (one, if there is a second node) or a number, and others by document type, tenant id or both, such as auto,events=2,ID/*=0. A change applies to existing indexes at the start.',
    perIndex(replicaCount, 'auto,events=2'),
    { ...ANY, value: 'numbers' },
  ),
  searchOpenIndexes: setting(
    'search-open-indexes',
    450,
    'Indexes that are open in OpenSearch for each of its data nodes; more are closed, those first that were not used for longest, and opened again by a search or change.',
    wholeNumber(20, 100_000),
    { ...ANY, ...NUMBER },
  ),
  searchComparisonSeconds: setting(
    'search-comparison-seconds',
    3_600,
    'Time between comparisons of the indexes in OpenSearch with the store, which mend what another program has changed, added or deleted; 0: none.',
    wholeNumber(0, 31_536_000),
    { value: 'seconds' },
  ),
  indexPollMs: setting(
    'index-poll-ms',
    200,
    'How often the indexer checks for changes written by other processes.',
    wholeNumber(10, 60_000),
    { ...ANY, ...MILLISECONDS },
  ),
  searchWorkers: setting(
    'search-workers',
    null,
    'Threads for long searches of the embedded search; 0: the main thread runs all.',
    wholeNumber(0, 64),
    { ...NUMBER, otherwise: 'one per core, at most 4' },
  ),
  memory: setting(
    'memory',
    '25%',
    'Memory for the caches of the embedded search, most of it for documents: bytes, or a share of the memory of the machine or container.',
    memorySize(16 * 2 ** 20),
    { ...ANY, value: 'bytes|percent' },
  ),
};
