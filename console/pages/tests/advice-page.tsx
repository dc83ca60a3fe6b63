// The page Advice of a server with the powers for tests: what the recorded requests show that would
// go wrong against the public service, and how to mend it.
import { testRun } from '../../api/tests-api.ts';
import '../../style/tests.css';
import { LoadNotice } from '../../ui/notice.tsx';
import { usePolled } from '../../ui/use-polled.ts';
import { AdviceList } from './advice-list.tsx';

const POLL_MS = 3_000;

export function AdvicePage() {
  const { value, fault, reload } = usePolled(testRun, POLL_MS);
  return (
    <div class="page">
      <h1>Advice</h1>
      <LoadNotice value={value} fault={fault} reload={reload} />
      {value !== undefined && <AdviceList advice={value.advice} hasRequests={value.total > 0} />}
    </div>
  );
}
