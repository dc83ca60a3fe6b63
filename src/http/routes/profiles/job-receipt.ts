// The answer to a call that became a job (contract/profiles.md section 7).

/** The receipt of a job, as public clients know it: it says `queued`, though the job is done by now. */
export function jobReceipt(jobId: string): object {
  const receipt = { job_id: jobId, status: 'queued' };
  return { info: 'job has started', job_status: receipt, status: 200 };
}
