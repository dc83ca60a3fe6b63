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
    'Shards of each index in OpenSearch: a number for all, others by document type, tenant id or both: 1,events=3,ID/events=6,ID/*=2.',
    perIndex(wholeNumber(1, 64), '1,events=3'),
    { ...ANY, value: 'numbers' },
  ),
  searchReplicas: setting(
    'search-replicas',
    'auto',
    'Further copies of each shard in OpenSearch: auto (one, if there is a second node) or a number; others as for shards, such as auto,events=2,ID/*=0.',
    perIndex(replicaCount, 'auto,events=2'),
    { ...ANY, value: 'numbers' },
  ),
  searchOpenIndexes: setting(
    'search-open-indexes',
    450,
    'Open indexes in OpenSearch for each data node; those unused for longest are closed until they are needed.',
    wholeNumber(20, 100_000),
    { ...ANY, ...NUMBER },
  ),
  searchComparisonSeconds: setting(
    'search-comparison-seconds',
    3_600,
    'Time between comparisons that repair what another program changed in OpenSearch; 0: none.',
    wholeNumber(0, 31_536_000),
    { value: 'seconds' },
  ),
  indexPollMs: setting(
    'index-poll-ms',
    200,
    'Time between checks for changes written by other processes.',
    wholeNumber(10, 60_000),
    { ...ANY, ...MILLISECONDS },
  ),
  memory: setting(
    'memory',
    '25%',
    'Memory for the caches of the embedded search: bytes, or a share of the machine or container.',
    memorySize(16 * 2 ** 20),
    { ...ANY, value: 'bytes|percent' },
  ),
};
