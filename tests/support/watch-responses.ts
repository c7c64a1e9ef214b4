import { expectDocumented, expectNothingLeaked } from './response-record.ts';

// Run at the end of every test file: no response anywhere contains a password or a hash, and every response of the REST
// door is as schema/openapi.yaml says.
afterAll(expectNothingLeaked);
afterAll(expectDocumented);
