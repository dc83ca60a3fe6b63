// The runs of a saved search that the service keeps, the latest first, with their results. While
// one has not ended, the list is updated.
import { useState } from 'preact/hooks';
import {
  listRuns,
  type RunResult,
  runResults,
  type SavedSearch,
  type ScheduledSearch,
  type SearchRun,
} from '../../../../api/saved-searches-api.ts';
import { download } from '../../../../export/download.ts';
import { instantText } from '../../../../model/document-value.ts';
import { KINDS } from '../../../../model/kinds.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { FaultNotice, Waiting } from '../../../../ui/notice.tsx';
import { useAttempt } from '../../../../ui/use-attempt.ts';
import { usePolled } from '../../../../ui/use-polled.ts';
import { Status } from '../../../../ui/values/status.tsx';

export interface RunListProps {
  readonly saved: SavedSearch;
  readonly schedules: readonly ScheduledSearch[];
  /** Runs the search now, for nobody; null: the user may not. */
  readonly onRun: (() => void) | null;
}

const OPEN_POLL_MS = 1_000;
const IDLE_POLL_MS = 20_000;
const LABELS: Readonly<Record<SearchRun['state'], string>> = {
  WAITING: 'Waiting',
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  REFUSED: 'Refused',
};

export function RunList({ saved, schedules, onRun }: RunListProps) {
  const [hasOpen, setHasOpen] = useState(true);
  const { value, fault, reload } = usePolled(
    async (signal) => {
      const runs = await listRuns(saved.id, signal);
      setHasOpen(runs.some(({ ended }) => ended === null));
      return runs;
    },
    hasOpen ? OPEN_POLL_MS : IDLE_POLL_MS,
  );
  const { refusal, attempt } = useAttempt(reload);
  const get = (run: SearchRun, { type }: RunResult) =>
    attempt(async () => {
      download(await runResults(saved.id, run.id, type), fileName(saved, run, type));
    });
  return (
    <section class="saved-part" aria-label="Runs">
      <header>
        <h3>Runs</h3>
        {onRun !== null && (
          <button type="button" class="button" onClick={onRun}>
            <Icon name="play" size={14} /> Run now
          </button>
        )}
      </header>
      {refusal !== null && <FaultNotice fault={refusal} />}
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {value === undefined && fault === null && <Waiting lines={3} />}
      {value?.length === 0 && <p class="quiet">None yet. The results of a run stay here as CSV.</p>}
      <ul class="runs">
        {value?.map((run) => (
          <RunItem
            key={run.id}
            run={run}
            by={schedules.find(({ id }) => id === run.scheduleId)?.name ?? null}
            onGet={(result) => void get(run, result)}
          />
        ))}
      </ul>
    </section>
  );
}

interface RunItemProps {
  readonly run: SearchRun;
  /** The name of its schedule. */
  readonly by: string | null;
  readonly onGet: (result: RunResult) => void;
}

function RunItem({ run, by, onGet }: RunItemProps) {
  const when = instantText(run.due ?? run.created);
  return (
    <li>
      <p class="schedule-title">
        <time dateTime={run.created} title={`${run.created} (UTC)`}>
          {when}
        </time>{' '}
        <Status word={LABELS[run.state]} />
        <span class="quiet">{run.scheduleId === null ? 'By request' : (by ?? 'By schedule')}</span>
      </p>
      {run.reason !== null && <p class="run-reason">{run.reason}</p>}
      {run.results.map((result) => (
        <p class="run-result" key={result.type}>
          <span>
            {result.count.toLocaleString('en')} {nounOf(result)}
            {result.truncated && `, the first ${result.rows.toLocaleString('en')} in the file`}
          </span>
          <button
            type="button"
            class="button"
            aria-label={`Download ${nounOf(result)} of ${when}`}
            onClick={() => onGet(result)}
          >
            <Icon name="download" size={14} /> CSV
          </button>
        </p>
      ))}
    </li>
  );
}

function nounOf({ type, count }: RunResult): string {
  const kind = KINDS.find((one) => one.type === type);
  return (count === 1 ? kind?.singular : kind?.plural)?.toLowerCase() ?? type;
}

function fileName({ name }: SavedSearch, run: SearchRun, type: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '');
  return `${plain}-${type}-${run.created.slice(0, 10)}.csv`;
}
