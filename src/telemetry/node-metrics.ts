// Metrics of the states of a node that are read at each scrape (scrape.ts).
import { Gauge, type Registry } from 'prom-client';
import type { Scrape } from './scrape.ts';

/**
 * Registers the metrics of a node.
 * @param scrape the states of the current scrape
 */
export function registerNode(registers: Registry[], scrape: () => Scrape): void {
  const gauge: AddGauge = (name, help, labelNames, set) =>
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers,
      collect() {
        this.reset();
        // A gauge without labels has a value after the reset.
        if (labelNames.length === 0) this.set(Number.NaN);
        set(this, scrape());
      },
    });
  gauge('cardea_ready', '1 if /ready answers 200', [], (one, { condition }) =>
    one.set(condition.ready ? 1 : 0),
  );
  gauge('cardea_reachable', '1 if this part answers', ['part'], (all, { condition }) => {
    all.set({ part: 'store' }, condition.store ? 1 : 0);
    all.set({ part: 'search' }, condition.search ? 1 : 0);
  });
  gauge(
    'cardea_index_lag_changes',
    'Changes of the store that are not searchable yet',
    [],
    (one, { lag }) => one.set(lag?.changes ?? Number.NaN),
  );
  gauge(
    'cardea_index_lag_seconds',
    'Age of the oldest change that is not searchable yet, to a second',
    [],
    (one, { lag }) => one.set(lag?.seconds ?? Number.NaN),
  );
  gauge(
    'cardea_store_connections',
    'Connections to PostgreSQL: open, idle, and the number of requests that wait for one',
    ['pool', 'state'],
    (all, { pools }) => {
      for (const { pool, open, idle, waiting } of pools) {
        all.set({ pool, state: 'open' }, open);
        all.set({ pool, state: 'idle' }, idle);
        all.set({ pool, state: 'waiting' }, waiting);
      }
    },
  );
  gauge(
    'cardea_tls_certificate_expires_timestamp_seconds',
    'When the TLS certificate in use ends; absent without TLS',
    ['use'],
    (one, { certificateExpires }) => {
      if (certificateExpires !== null) one.set({ use: 'api' }, certificateExpires / 1_000);
    },
  );
  registerMirrors(gauge);
  registerDisk(gauge);
}

type AddGauge = (
  name: string,
  help: string,
  labelNames: readonly string[],
  set: (gauge: Gauge, scrape: Scrape) => void,
) => unknown;

/** Absent where there is no mirror, so that no alert is about them. */
function registerMirrors(gauge: AddGauge): void {
  gauge(
    'cardea_mirrors',
    'Mirrors of remote tenants, by the outcome of their last run; absent without mirrors',
    ['state'],
    (all, { mirrors }) => {
      if (mirrors === null || mirrors.mirrors === 0) return;
      all.set({ state: 'failing' }, mirrors.failing);
      all.set({ state: 'well' }, mirrors.mirrors - mirrors.failing);
    },
  );
  gauge(
    'cardea_mirror_lag_seconds',
    'Age of the oldest complete copy of a remote tenant; absent without one',
    ['of'],
    (all, { mirrors }) => {
      const lagSeconds = mirrors?.lagSeconds ?? null;
      if (lagSeconds !== null) all.set({ of: 'oldest' }, lagSeconds);
    },
  );
}

function registerDisk(gauge: AddGauge): void {
  gauge(
    'cardea_damaged_documents',
    'Damaged documents of the store that are set aside, as far as this node has read them',
    [],
    (one, { damagedDocuments }) => one.set(damagedDocuments ?? Number.NaN),
  );
  gauge(
    'cardea_disk_free_bytes',
    'Free bytes on the disk of the data directory',
    [],
    (one, { disk }) => one.set(disk?.free ?? Number.NaN),
  );
  gauge('cardea_disk_size_bytes', 'Size of the disk of the data directory', [], (one, { disk }) =>
    one.set(disk?.size ?? Number.NaN),
  );
  // With a label they are absent where nothing is known, so that no alert is about them.
  const store = { store: 'sqlite' };
  gauge(
    'cardea_last_backup_timestamp_seconds',
    'When cardea backup last completed, 0 for never; absent with PostgreSQL',
    ['store'],
    (all, { lastBackup }) => {
      if (lastBackup !== null) all.set(store, lastBackup / 1_000);
    },
  );
  gauge(
    'cardea_store_check_timestamp_seconds',
    'When every page of the store was last checked, 0 for never; absent with PostgreSQL',
    ['store'],
    (all, { storeCheck }) => {
      if (storeCheck !== null) all.set(store, storeCheck.checkedAt / 1_000);
    },
  );
  gauge(
    'cardea_store_faults',
    'Faults that this check found; absent with PostgreSQL',
    ['store'],
    (all, { storeCheck }) => {
      if (storeCheck !== null) all.set(store, storeCheck.faults);
    },
  );
}
