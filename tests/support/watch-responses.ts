import { expectDocumented, expectNothingLeaked } from './response-record.ts';

// Runs at the end of every test file: no response contains a password or a hash, and every response of the REST API matches
// schema/openapi.yaml.
afterAll(expectNothingLeaked);
afterAll(expectDocumented);
