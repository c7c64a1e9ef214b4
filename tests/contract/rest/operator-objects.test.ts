import { throughEachApi } from '../../support/apis.ts';
import { authenticated, expectInvalid } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

/** Objects that MongoDB would take as conditions, if they got that far. */
const OPERATORS: [name: string, value: unknown][] = [
  ['{"$gt":""}', { $gt: '' }],
  ['{"$ne":null}', { $ne: null }],
  ['{"$regex":".*"}', { $regex: '.*' }],
  ['{"$where":"1"}', { $where: '1' }],
  ['[{"$gt":""}]', [{ $gt: '' }]],
  ['{"toString":"x"}', { toString: 'x' }],
];

throughEachApi((apiOf) => {
  describe.each(OPERATORS)('an operator object %s', (_name, operator) => {
    test.each(['email', 'password'])(
      'the gateway refuses an operator object as the %s of a login',
      async (field) => {
        const patient = aPatient();
        authenticated(await apiOf(app.url).registerPatient(patient));
        const before = await inventoryOf(app);
        expectInvalid(await apiOf(app.url).login({ ...patient, [field]: operator }), {
          [field]: [`The ${field} field must be a string.`],
        });
        expect(await inventoryOf(app)).toEqual(before);
      },
    );

    test.each(['name', 'email', 'password', 'phone'])(
      'the gateway refuses an operator object as the %s of a registration',
      async (field) => {
        const before = await inventoryOf(app);
        const fields = { ...aPatient(), [field]: operator };
        expectInvalid(await apiOf(app.url).registerPatient(fields), {
          [field]: [`The ${field} field must be a string.`],
        });
        expect(await inventoryOf(app)).toEqual(before);
      },
    );
  });
});
