import { execFileSync } from 'node:child_process';
import whole from 'class-validator';
import * as parts from '../../../src/patches/class-validator.ts';

test('the parts of class-validator are those of the whole package', () => {
  for (const [name, part] of Object.entries(parts)) {
    expect(part).toBe(whole[name as keyof typeof whole]);
  }
});

test('an import of all of class-validator still loads more than a hundred files', () => {
  const program = "require('class-validator'); console.log(Object.keys(require.cache).length)";
  // If it loads few by now, src/patches/class-validator.ts can go.
  expect(Number(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }))).toBeGreaterThan(100);
});
