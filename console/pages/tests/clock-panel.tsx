// The clock of a server for tests: date math of queries and the times of records follow it.
import { readClock, setClock } from '../../api/tests-api.ts';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useLoad } from '../../ui/use-load.ts';

const MODES = {
  real: 'the clock of the machine',
  frozen: 'standing still',
  shifted: 'shifted',
} as const;

export function ClockPanel() {
  const { value, fault, reload } = useLoad('clock', readClock);
  const { refusal, attempt } = useAttempt(reload);
  return (
    <section class="related" aria-label="Clock">
      <h2>Clock</h2>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {refusal !== null && <FaultNotice fault={refusal} />}
      {value === undefined && fault === null && <Waiting lines={1} />}
      {value !== undefined && (
        <>
          <p>
            {value.now.slice(0, 19).replace('T', ' ')} UTC, {MODES[value.mode]}
          </p>
          <form
            class="new-token"
            onSubmit={(event) => {
              event.preventDefault();
              const form = event.currentTarget;
              const now = String(new FormData(form).get('now')).trim();
              void attempt(() => setClock(now)).then((isSet) => {
                if (isSet) form.reset();
              });
            }}
          >
            <label class="field">
              <span>Instant, or shift</span>
              <input
                name="now"
                required
                autoComplete="off"
                placeholder="2026-01-15T09:00:00Z or +90d"
              />
            </label>
            <button type="submit" class="button">
              Set clock
            </button>
            {value.mode !== 'real' && (
              <button
                type="button"
                class="button"
                onClick={() => void attempt(() => setClock('real'))}
              >
                Use the real time
              </button>
            )}
          </form>
        </>
      )}
    </section>
  );
}
