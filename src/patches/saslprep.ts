/*
 * mongodb 7: loads @mongodb-js/saslprep when a password is prepared (RFC 4013), and not at once.
 * Reason: its tables of Unicode take 15 ms of every start and 4 MiB, and the embedded database has no passwords.
 * It must be imported before mongoose is. tests/unit/patches/saslprep.test.ts fails when the driver itself loads the tables later.
 */
import { createRequire } from 'node:module';
import { loadLater } from './load-later.ts';
import { requireAsMongoose } from './mongoose-require.ts';

loadLater(createRequire(requireAsMongoose.resolve('mongodb')), '@mongodb-js/saslprep', 'saslprep');
