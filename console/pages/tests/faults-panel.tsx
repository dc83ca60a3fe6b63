// The rules by which faults are injected, with their counts.
import type { CountedFaultRule } from '../../../src/testing/types.ts';
import { removeFaults } from '../../api/tests-api.ts';
import { countText } from '../../model/amount.ts';
import { FaultNotice } from '../../ui/notice.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { effectText, matchText } from './request-text.ts';

export function FaultsPanel({
  faults,
  reload,
}: {
  faults: readonly CountedFaultRule[];
  reload: () => void;
}) {
  const { refusal, attempt } = useAttempt(reload);
  return (
    <section class="related" aria-label="Faults">
      <h2>Faults</h2>
      {refusal !== null && <FaultNotice fault={refusal} />}
      {faults.length === 0 ? (
        <p class="quiet">
          No faults are injected. <code>PUT /admin/v1/faults</code> and the library{' '}
          <code>cardea/testing</code> inject them; see the{' '}
          <a href="../docs/guide/testing" target="_blank" rel="noopener">
            guide
          </a>
          .
        </p>
      ) : (
        <>
          <TableFrame label="Fault rules" size="short">
            <TableHead
              labels={['Requests', 'Fault', 'Matched', 'Injected']}
              numbers={['Matched', 'Injected']}
            />
            <tbody>
              {faults.map((rule, at) => (
                <tr key={at}>
                  <td>{matchText(rule)}</td>
                  <td>{effectText(rule)}</td>
                  <td class="cell-number">{countText(rule.matched)}</td>
                  <td class="cell-number">{countText(rule.injected)}</td>
                </tr>
              ))}
            </tbody>
          </TableFrame>
          <div class="buttons">
            <button type="button" class="button" onClick={() => void attempt(removeFaults)}>
              Remove faults
            </button>
          </div>
        </>
      )}
    </section>
  );
}
