import type { TargetedSubmitEvent } from 'preact';
import { useSingleCall } from './use-single-call.ts';

/**
 * What a form that creates something does when it is submitted: one at a time, and the form is emptied
 * once it is created.
 * @param create resolves to false if it was refused; the form then keeps its values
 */
export function useCreation(create: (fields: FormData) => Promise<boolean>) {
  const send = useSingleCall(async (form: HTMLFormElement) => {
    if (await create(new FormData(form))) form.reset();
  });
  return (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    send(event.currentTarget);
  };
}
