import { expectNothingLeaked } from './response-record.ts';

// Runs at the end of every test file: no response anywhere contains a password or a hash.
afterAll(expectNothingLeaked);
