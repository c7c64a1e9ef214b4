import type { PeopleSettings } from '../../src/api/pages/people-page-settings.ts';
import { readSettings } from '../shared/settings.ts';

/** What the server tells these pages. */
export const settings = readSettings<PeopleSettings>();
