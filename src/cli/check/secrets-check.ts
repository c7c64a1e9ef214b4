import { stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../system/system-errors.ts';
import { type Check, error, type Finding, note, ok, warning } from './check.ts';

const FOR_ALL = 0o004;
const FOR_GROUP = 0o040;

/** Where container engines put secrets, with modes of their own. */
const OF_CONTAINERS = /^\/(?:var\/)?run\/secrets\//;

/** Files with secrets: those that settings name, and in development `.env`. */
export const secretsCheck: Check = {
  name: 'secrets',
  maxMillis: 5_000,
  async *run({ environment, config }) {
    const { CREDENTIALS_DIRECTORY: folder = '' } = environment;
    const files = [...config.settingNames]
      .filter((name) => name.endsWith('_FILE'))
      .map((name) => ({ name, file: environment[name]?.trim() ?? '' }))
      .filter(({ file }) => file !== '');
    if (config.mode !== 'production') {
      files.push({ name: '.env', file: '.env' });
    }
    const findings = (
      await Promise.all(files.map(({ name, file }) => judge(name, path.resolve(folder, file))))
    ).flat();
    yield* findings;
    if (findings.length === 0) {
      yield ok('No file with secrets can be read by other users.');
    }
  },
};

async function judge(name: string, file: string): Promise<Finding[]> {
  try {
    return judgeMode(name, file, (await stat(file)).mode);
  } catch (failure) {
    const code = systemErrorCode(failure);
    if (name === '.env' && code === 'ENOENT') {
      return [];
    }
    // Without the path: somebody may have put the secret itself there.
    const text = `The file of ${name} cannot be read: ${code ?? 'its value is not a path'}.`;
    return [error(text, 'Correct the path or the permissions of the file.')];
  }
}

function judgeMode(name: string, file: string, mode: number): Finding[] {
  if ((mode & FOR_ALL) !== 0) {
    const text = `Every user of this machine can read ${file} (${name}).`;
    return OF_CONTAINERS.test(file)
      ? [note(text, 'There is nothing to do if the container runs nothing else.')]
      : [warning(text, `chmod 600 ${file} (it must belong to the gateway's user)`)];
  }
  const text = `Every user in the group of ${file} (${name}) can read it.`;
  return (mode & FOR_GROUP) === 0 ? [] : [note(text, 'Check who is in the group.')];
}
