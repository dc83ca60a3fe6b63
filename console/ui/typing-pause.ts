/**
 * The time without a letter, in ms, after which a field asks the service about what was typed. Most
 * people leave more between two letters, so the answer is there before the next one; what was asked
 * about earlier letters is cancelled.
 */
export const TYPING_PAUSE_MS = 40;
