// The response to a request that runs as a job (contract/profiles.md section 7).

/** The receipt of a job in the public format: `queued`, although the job is already done. */
export function jobReceipt(jobId: string): object {
  const receipt = { job_id: jobId, status: 'queued' };
  return { info: 'job has started', job_status: receipt, status: 200 };
}
