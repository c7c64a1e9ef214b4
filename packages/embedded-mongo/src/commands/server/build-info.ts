import type { Document } from 'bson';
import { MAX_BSON_BYTES } from '../../base/limits.ts';
import type { CommandDefinition } from '../support/command.ts';
import { VERSION } from './version.ts';

export const buildInfoCommand: CommandDefinition = { fields: [], run: buildInfo };

function buildInfo(): Document {
  return {
    version: VERSION,
    gitVersion: 'embedded',
    modules: [],
    storageEngines: ['lmdb'],
    versionArray: [...VERSION.split('.').map(Number), 0],
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_BSON_BYTES,
  };
}
