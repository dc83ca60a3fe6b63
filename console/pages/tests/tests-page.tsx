// The page Tests of a server with the powers for tests: the faults that are injected, the clock, the
// requests of integrations, and a reset.
import { useState } from 'preact/hooks';
import { resetTenant, testRun } from '../../api/tests-api.ts';
import '../../style/administration.css';
import '../../style/tests.css';
import { Confirm } from '../../ui/confirm.tsx';
import { FaultNotice, LoadNotice } from '../../ui/notice.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { usePolled } from '../../ui/use-polled.ts';
import { ClockPanel } from './clock-panel.tsx';
import { FaultsPanel } from './faults-panel.tsx';
import { RequestsPanel } from './requests-panel.tsx';

const POLL_MS = 3_000;

export function TestsPage() {
  const { value, fault, reload } = usePolled(testRun, POLL_MS);
  return (
    <div class="page">
      <h1>Tests</h1>
      <LoadNotice value={value} fault={fault} reload={reload} />
      {value !== undefined && (
        <>
          <FaultsPanel faults={value.faults} reload={reload} />
          <ClockPanel />
          <RequestsPanel requests={value.requests} total={value.total} reload={reload} />
          <Reset reload={reload} />
        </>
      )}
    </div>
  );
}

function Reset({ reload }: { reload: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const { refusal, attempt } = useAttempt(reload);
  return (
    <section class="related" aria-label="Reset">
      <h2>Reset</h2>
      {refusal !== null && <FaultNotice fault={refusal} />}
      <p>
        Restores the data of the start, and clears faults, requests and the counts of the rate
        limit.
      </p>
      <div class="buttons">
        <button type="button" class="button" onClick={() => setIsAsking(true)}>
          Reset tenant
        </button>
      </div>
      {isAsking && (
        <Confirm
          title="Reset this tenant?"
          sentence="All changes since the start are lost. This cannot be undone."
          action="Reset"
          onConfirm={() => void attempt(resetTenant)}
          onClose={() => setIsAsking(false)}
        />
      )}
    </section>
  );
}
