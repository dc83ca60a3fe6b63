// The journal: the requests of integrations, the newest first. Those of the console are not in it.
import type { RecordedRequest } from '../../../src/testing/types.ts';
import { forgetRequests } from '../../api/tests-api.ts';
import { countText } from '../../model/amount.ts';
import { FaultNotice } from '../../ui/notice.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { outcomeText, requestText } from './request-text.ts';

/** The journal has up to 1,000. */
const SHOWN = 100;

export function RequestsPanel({
  requests,
  total,
  reload,
}: {
  requests: readonly RecordedRequest[];
  total: number;
  reload: () => void;
}) {
  const { refusal, attempt } = useAttempt(reload);
  const shown = requests.slice(-SHOWN).reverse();
  return (
    <section class="related" aria-label="Requests">
      <h2>
        Requests{' '}
        <span class="quiet">
          {shown.length < total
            ? `the last ${countText(shown.length)} of ${countText(total)}`
            : countText(total)}
          ; times are in UTC
        </span>
      </h2>
      {refusal !== null && <FaultNotice fault={refusal} />}
      {shown.length === 0 && (
        <p class="quiet">
          No requests yet. Run your integration against this tenant; requests of the console are not
          recorded.
        </p>
      )}
      {shown.length > 0 && (
        <>
          <TableFrame label="Recorded requests">
            <TableHead
              labels={['Number', 'Time', 'Request', 'Outcome', 'Milliseconds', 'Client']}
              numbers={['Number', 'Milliseconds']}
            />
            <tbody>
              {shown.map((request) => (
                <tr key={request.number}>
                  <td class="cell-number">{request.number}</td>
                  <td class="moment">{request.at.slice(11, 23)}</td>
                  <td>{requestText(request)}</td>
                  <td class="moment">
                    <span class={hasFailed(request) ? 'chip chip-warn' : 'chip'}>
                      {outcomeText(request)}
                    </span>
                  </td>
                  <td class="cell-number">{Math.round(request.ms)}</td>
                  <td>{request.client}</td>
                </tr>
              ))}
            </tbody>
          </TableFrame>
          <div class="buttons">
            <button type="button" class="button" onClick={() => void attempt(forgetRequests)}>
              Clear requests and advice
            </button>
          </div>
        </>
      )}
    </section>
  );
}

function hasFailed({ status }: RecordedRequest): boolean {
  return status === null || status >= 400;
}
