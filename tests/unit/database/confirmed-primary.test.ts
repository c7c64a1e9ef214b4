import { ConfirmedPrimary } from '../../../src/database/confirmed-primary.ts';

// tests/mongodb/former-primary.test.ts has the gateway around it, in real time.

/** A primary that is asked by hand, at times that the test sets. */
function aPrimary() {
  const time = { elapsed: 0, timeOfDay: 1_000_000 };
  const pass = (millis: number) => {
    time.elapsed += millis;
    time.timeOfDay += millis;
  };
  let answer = async () => {};
  const primary = new ConfirmedPrimary(
    () => answer(),
    () => ({ ...time }),
  );
  return {
    primary,
    time,
    pass,
    answering: (next: () => Promise<void>) => {
      answer = next;
    },
  };
}

const refuse = async () => {
  throw new Error('no majority');
};

test('nothing is believed before the first confirmation', async () => {
  const { primary, answering } = aPrimary();
  expect(primary.isConfirmed).toBe(false);
  answering(refuse);
  expect(await primary.ask()).toBe(false);
  expect(primary.isConfirmed).toBe(false);
});

test('a confirmation holds for less than 10 s, also if later ones fail', async () => {
  const { primary, pass, answering } = aPrimary();
  expect(await primary.ask()).toBe(true);
  answering(refuse);
  pass(9_999);
  expect(await primary.ask()).toBe(false);
  expect(primary.isConfirmed).toBe(true);
  pass(1);
  expect(primary.isConfirmed).toBe(false);
});

test('a confirmation counts from its beginning, because it says nothing of what was acknowledged meanwhile', async () => {
  const { primary, pass, answering } = aPrimary();
  answering(async () => pass(9_000));
  expect(await primary.ask()).toBe(true);
  pass(1_000);
  expect(primary.isConfirmed).toBe(false);
});

test('time that passes while the machine is suspended counts, and a clock that is set back does not', async () => {
  const { primary, time } = aPrimary();
  await primary.ask();
  time.timeOfDay += 10_000;
  expect(primary.isConfirmed).toBe(false);
  await primary.ask();
  time.timeOfDay -= 3_600_000;
  time.elapsed += 10_000;
  expect(primary.isConfirmed).toBe(false);
});
