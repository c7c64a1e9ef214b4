import type { Clock } from '../../system/clock.ts';
import { everyHour, type Schedule } from '../../system/clock.ts';
import type { Erasure } from './erasure.ts';

/** Erases accounts that are due now and every hour. */
export const scheduleErasures = (erasure: Erasure, clock: Clock): Schedule =>
  everyHour((signal) => erasure.run(signal), clock);
