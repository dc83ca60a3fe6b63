// An interaction that is measured, and what it works with.
import type { Locator, Page } from 'playwright-core';
import type { Company, Person } from './company.ts';
import { untilRest } from './page-clock.ts';

/** What an interaction works with. */
export interface Desk {
  readonly page: Page;
  readonly company: Company;
  /** Drawn for this repetition. */
  readonly person: Person;
  /** The number of the repetition, warm-up included. */
  readonly nth: number;
  /** Opens an address of the console, and waits until it is at rest. @param address without `#` */
  open(address: string): Promise<void>;
  /** Measures one input, which `act` sends. */
  time(act: () => Promise<unknown>): Promise<void>;
}

/** A task of daily use that one input completes. */
export interface Interaction {
  /** The page and what the user does there. */
  readonly name: string;
  /** Calls `time` once, after it has brought the page into the state before the input. */
  readonly run: (desk: Desk) => Promise<void>;
}

/** A part of the interactions, measured in a page of its own. */
export interface Group {
  readonly name: string;
  readonly interactions: readonly Interaction[];
}

/** The address of a search for identities. */
export function identities(query: string): string {
  return `/search/identities?${new URLSearchParams({ q: query })}`;
}

/** A query for any share of the company, which differs for each person. */
export function since({ created }: Person): string {
  return `created:[${created} TO *]`;
}

/** Types all of a text but its last letter, and measures the last one. */
export async function timeLastLetter(desk: Desk, field: Locator, text: string): Promise<void> {
  await field.fill(text.slice(0, -1));
  await untilRest(desk.page);
  await desk.time(() => desk.page.keyboard.type(text.slice(-1)));
}
