import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { authenticated, refused, registeredDoctor } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { stopWithoutWarnings } from './support/instances.ts';

const ROUNDS = 3;
const INSTANCES = 3;
const COLLECTIONS = ['accounts', 'doctor_profiles', 'access_tokens', 'attempt_counts'] as const;

const workshop = useWorkshop('own');

const indexesOf = async ({ db }: TestDatabase) =>
  Promise.all(
    COLLECTIONS.map(
      async (name) =>
        // A set: a server may list indexes in any order.
        new Set((await db.collection(name).indexes()).map(({ key, unique }) => ({ key, unique }))),
    ),
  );

test('instances start at the same time on an empty database and an empty folder', async () => {
  const lone = workshop.start();
  await lone.url();
  const expected = await indexesOf(workshop.database);
  await stopWithoutWarnings(lone);

  for (let round = 0; round < ROUNDS; round += 1) {
    const database = await openTestDatabase(workshop.database.uri);
    const settings = { MONGODB_URI: database.uri, STORAGE_DIR: `${workshop.folder}/storage-${round}` };
    const gateways = Array.from({ length: INSTANCES }, () => workshop.start(settings));
    const [a = '', b = ''] = await Promise.all(gateways.map((gateway) => gateway.url()));
    expect(await indexesOf(database)).toEqual(expected);
    const doctor = aDoctor();
    registeredDoctor(await restApi(a).registerDoctor(doctor));
    refused(await graphqlApi(b).registerPatient(aPatient({ email: doctor.email })), 'validation');
    authenticated(await graphqlApi(b).login(doctor));
    await Promise.all(gateways.map(stopWithoutWarnings));
    await database.drop();
  }
}, 180_000);
